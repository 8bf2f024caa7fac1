/** A kind of request body that can be built in any size. */
export type Shape = { readonly name: string; readonly build: (bytes: number) => string };

const fill = (text: string, bytes: number) => text.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(text))));

const items = (count: number, item: (index: number) => string) =>
  Array.from({ length: Math.max(1, Math.floor(count)) }, (_, index) => item(index)).join(',');

/** Bodies that no schema accepts, whatever the route. */
export const invalidBodies: readonly Shape[] = [
  { name: 'spaces', build: (bytes) => `{${fill(' ', bytes)}}` },
  { name: 'brackets', build: (bytes) => fill('[', bytes) },
  { name: 'numbers', build: (bytes) => `[${fill('1,', bytes)}1]` },
  { name: 'a long number', build: (bytes) => `[1${fill('0', bytes)}]` },
  { name: 'empty objects', build: (bytes) => `[${fill('{},', bytes)}{}]` },
  { name: 'unknown fields', build: (bytes) => `{${items(bytes / 14, (i) => `"field${i}":1`)}}` },
  { name: '19,000 fields', build: (bytes) => `{${items(19_000, (i) => `"${fill('n', bytes / 19_000)}${i}":1`)}}` },
  { name: 'a duplicate name at the end', build: (bytes) => `{"a":"${fill('\\"', bytes)}","b":1,"b":2}` },
  { name: 'a long name twice', build: (bytes) => `{"${fill('n', bytes / 2)}":1,"${fill('n', bytes / 2)}":2}` },
  { name: 'a NUL at the end', build: (bytes) => `{"a":"${fill('x', bytes)}\\u0000"}` },
  { name: 'broken Cyrillic text', build: (bytes) => `{"a":"${fill('ж', bytes)}` },
];

/** Values of every type. For any given field, at most one type is valid. */
const values: ReadonlyArray<readonly [name: string, value: (bytes: number) => string]> = [
  ['text', (bytes) => `"${fill('x', bytes)}"`],
  ['quotes', (bytes) => `"${fill('\\"', bytes)}"`],
  ['unicode escapes', (bytes) => `"${fill('\\u0416', bytes)}"`],
  ['control characters', (bytes) => `"${fill('\\u0001', bytes)}"`],
  ['Cyrillic text', (bytes) => `"${fill('ж', bytes)}"`],
  ['line breaks', (bytes) => `"${fill('\\n', bytes)}"`],
  ['placeholders', (bytes) => `"${fill('{{a}}', bytes)}"`],
  ['comments', (bytes) => `"${fill('{{!}}', bytes)}"`],
  ['2,000 placeholders', (bytes) => `"${items(1_999, (i) => `{{ a${i % 100} }}${fill('x', bytes / 2_000)}`)}"`],
  ['strings', (bytes) => `[${fill('"x",', bytes)}"x"]`],
  ['900 long strings', (bytes) => `[${items(900, () => `"${fill('x', bytes / 900)}"`)}]`],
  ['numbers', (bytes) => `[${fill('7,', bytes)}7]`],
  ['objects', (bytes) => `[${fill('{"nam":1},', bytes)}{}]`],
  ['70 objects', (bytes) => `[${items(70, (i) => `{"name":"n${i}","value":"${fill('x', bytes / 70)}"}`)}]`],
  ['an object with many names', (bytes) => `{${items(bytes / 14, (i) => `"X-Name-${i}":""`)}}`],
  ['an object with 45 long values', (bytes) => `{${items(45, (i) => `"X${i}":"${fill('x', bytes / 45)}"`)}}`],
];

/** For each kind of value, a valid body in which `field` has that value instead of its own. */
export function shapesOfField(field: string, valid: object): Shape[] {
  const others = JSON.stringify({ ...valid, [field]: undefined }).slice(1, -1);
  return values.map(([name, value]) => ({
    name: `${field}: ${name}`,
    build: (bytes) => `{${others}${others === '' ? '' : ','}"${field}":${value(bytes)}}`,
  }));
}

/** A batch of the maximum number of emails, each of this shape. */
export function inBatch({ name, build }: Shape): Shape {
  return { name: `100 emails, ${name}`, build: (bytes) => `[${items(100, () => build(bytes / 100))}]` };
}

/** Lists of addresses that are slow to parse. */
export const slowAddresses: readonly Shape[] = [
  ['international names', (i: number) => `"${'ﬁ'.repeat(60)}" <a${i}@${'ü'.repeat(40)}.${'ж'.repeat(40)}.example>`],
  ['a few, repeated', (i: number) => `${'名'.repeat(60)} <a${i % 40}@${'ü'.repeat(40)}.${'ж'.repeat(40)}.example>`],
  ['invalid domains', (i: number) => `a${i}@${'ü'.repeat(120)}..${'ж'.repeat(60)}`],
].map(([name, address]) => ({
  name: `3,000 addresses: ${name}`,
  build: () => {
    const list = Array.from({ length: 1_000 }, (_, index) => (address as (index: number) => string)(index));
    return JSON.stringify({ to: list, cc: list, bcc: list, subject: 's', text: 't' });
  },
}));

const base64 = (bytes: number) => fill('QUJD', bytes);
const file = (name: string, content: string) => `{"filename":"${name}","content":"${content}"}`;
const withFiles = (files: string) => `{"to":["a@example.com"],"subject":"s","text":"t","attachments":[${files}]}`;

export const attachments: readonly Shape[] = [
  { name: 'a file', build: (bytes) => withFiles(file('a.pdf', base64(bytes))) },
  {
    name: 'ten files',
    build: (bytes) => withFiles(items(10, (i) => file(`${i}.pdf`, `${i}AAA${base64(bytes / 10)}`))),
  },
  { name: 'a file with a fault at its end', build: (bytes) => withFiles(file('a.pdf', `${base64(bytes)}QUI`)) },
  { name: 'a file of line breaks', build: (bytes) => withFiles(file('a.pdf', fill('\\r\\n', bytes))) },
];

const addressLines = (bytes: number) => items(bytes / 22, (i) => `\nsomebody${i}@example.com`).replaceAll(',', '');

/** At most one import is added by each, because later ones contain no new address. */
export const csvFiles: readonly Shape[] = [
  { name: 'addresses', build: (bytes) => `address${addressLines(bytes)}` },
  { name: 'addresses, then a fault', build: (bytes) => `address${addressLines(bytes)}\nx` },
  { name: 'faulty lines', build: (bytes) => `address${fill('\nx', bytes)}` },
  { name: 'empty lines', build: (bytes) => `address${fill('\n', bytes)}` },
  { name: 'many columns', build: (bytes) => `address${fill(',', bytes)}` },
  { name: 'one long cell', build: (bytes) => `address\n"${fill('x', bytes)}"` },
  { name: 'quotes', build: (bytes) => `address\n${fill('""', bytes)}` },
  { name: 'international addresses', build: (bytes) => `address${fill(`\na@${'ü'.repeat(40)}.example`, bytes)}` },
  { name: 'not UTF-8 at the end', build: (bytes) => `address${addressLines(bytes)}\n\ufffd` },
];
