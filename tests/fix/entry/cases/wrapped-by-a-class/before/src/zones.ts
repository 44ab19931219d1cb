export class Zones {
  now(zone: string): string {
    return new Date().toLocaleString('en', { timeZone: zone });
  }
}
