// What a case file expects of an answer, and the names that it gives to parts of answers.
import assert from 'node:assert/strict';

const NAME = /\$\{(\w+)\}/g;

/** `value` with `${names}` replaced, at any depth. In patterns the values stand for themselves. */
export function fill(value, names, quote = (text) => text) {
  if (typeof value === 'string') {
    return value.replace(NAME, (_, name) => {
      assert.ok(name in names, `nothing was captured as ${name}`);
      return quote(names[name]);
    });
  }
  if (Array.isArray(value)) return value.map((entry) => fill(entry, names, quote));
  if (value && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, fill(entry, names, quote)]));
  }
  return value;
}

export const literally = (text) => String(text).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * An answer `{ text, error, data, thrown }` against `{ text, matches, error, data, refused, either }`. Where nothing is said of
 * errors, none is expected; `refused` is a pattern for an error of either kind, `either` one for an answer or an error.
 */
export function check(answer, expect = {}, names = {}) {
  const said = answer.thrown ?? answer.text;
  const pattern = (source) => new RegExp(fill(source, names, literally), 's');
  if (expect.refused !== undefined) {
    assert.ok(answer.error, `an error was expected, the answer is: ${said}`);
    assert.match(said, pattern(expect.refused));
    return;
  }
  if (expect.either !== undefined) {
    assert.match(said, pattern(expect.either));
    return;
  }
  assert.equal(answer.error, expect.error ?? false, `error is ${answer.error}, the answer is: ${said}`);
  if (expect.text !== undefined) assert.equal(said, fill(expect.text, names));
  if (expect.matches !== undefined) assert.match(said, pattern(expect.matches));
  if (expect.data !== undefined) assert.deepEqual(answer.data ?? null, fill(expect.data, names), 'structured part');
}

/** Takes `{ name: { text: PATTERN } | { data: KEY } }` out of an answer; a pattern's first group counts if it has one. */
export function capture(answer, wanted = {}, names) {
  for (const [name, from] of Object.entries(wanted)) {
    const found = from.data === undefined ? answer.text?.match(new RegExp(from.text)) : [answer.data?.[from.data]];
    const value = found?.[1] ?? found?.[0];
    assert.notEqual(value, undefined, `${name} is not in the answer: ${answer.text}`);
    names[name] = value;
  }
}
