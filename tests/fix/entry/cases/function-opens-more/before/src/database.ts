import { connect } from 'node:net';

export interface Database {
  weekday(date: string): string;
}

export async function openDatabase(address: string): Promise<Database> {
  const socket = connect({ host: address, port: 5432 });
  await new Promise((resolve) => socket.once('connect', resolve));
  return { weekday: (date) => new Date(date).toDateString() };
}
