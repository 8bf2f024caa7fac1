import type { Random } from '../rig/seeded-random.js';

type Mutation = (bytes: Buffer, random: Random) => Buffer;

const cutAt = (bytes: Buffer, start: number, end: number) =>
  Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);

/** A range of up to `max` bytes. */
function rangeIn(bytes: Buffer, random: Random, max: number): [number, number] {
  const start = Math.floor(random.next() * bytes.length);
  return [start, Math.min(bytes.length, start + 1 + Math.floor(random.next() * max))];
}

/** The range of a random line, with its line break. */
function lineIn(bytes: Buffer, random: Random): [number, number] {
  const at = Math.floor(random.next() * bytes.length);
  const start = bytes.lastIndexOf('\n', at - 1) + 1;
  const end = bytes.indexOf('\n', at);
  return [start, end === -1 ? bytes.length : end + 1];
}

/** What goes wrong with messages on their way, and what an attacker may try. */
const mutations: readonly Mutation[] = [
  // A byte becomes another one.
  (bytes, random) => {
    const changed = Buffer.from(bytes);
    changed[Math.floor(random.next() * changed.length)] = Math.floor(random.next() * 256);
    return changed;
  },
  // Some bytes are missing.
  (bytes, random) => cutAt(bytes, ...rangeIn(bytes, random, 40)),
  // The end is missing.
  (bytes, random) => bytes.subarray(0, Math.floor(random.next() * bytes.length)),
  // A line is missing.
  (bytes, random) => cutAt(bytes, ...lineIn(bytes, random)),
  // A line is repeated.
  (bytes, random) => {
    const [start, end] = lineIn(bytes, random);
    return Buffer.concat([bytes.subarray(0, end), bytes.subarray(start)]);
  },
  // Two lines change places.
  (bytes, random) => {
    const [[a, b], [c, d]] = [lineIn(bytes, random), lineIn(bytes, random)].toSorted(([one], [two]) => one - two) as [
      [number, number],
      [number, number],
    ];
    if (b > c) return bytes;
    const [first, second] = [bytes.subarray(a, b), bytes.subarray(c, d)];
    return Buffer.concat([bytes.subarray(0, a), second, bytes.subarray(b, c), first, bytes.subarray(d)]);
  },
  // A line becomes very long.
  (bytes, random) => {
    const [, end] = lineIn(bytes, random);
    return Buffer.concat([bytes.subarray(0, end - 1), Buffer.alloc(50_000, 'x'), bytes.subarray(end - 1)]);
  },
  // CRLF becomes LF.
  (bytes) => Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'),
  // The case of letters changes.
  (bytes, random) => {
    const [start, end] = rangeIn(bytes, random, 200);
    const text = bytes.subarray(start, end).toString('latin1');
    return Buffer.concat([bytes.subarray(0, start), Buffer.from(text.toUpperCase(), 'latin1'), bytes.subarray(end)]);
  },
  // Random bytes are inserted.
  (bytes, random) => {
    const at = Math.floor(random.next() * bytes.length);
    const noise = Buffer.from(Array.from({ length: 30 }, () => Math.floor(random.next() * 256)));
    return Buffer.concat([bytes.subarray(0, at), noise, bytes.subarray(at)]);
  },
];

/** Changes a message in one to four random ways. */
export function mutate(message: Buffer, random: Random): Buffer {
  let bytes = message;
  for (let count = 1 + Math.floor(random.next() * 4); count > 0 && bytes.length > 0; count -= 1) {
    const mutation = mutations[Math.floor(random.next() * mutations.length)] as Mutation;
    bytes = mutation(bytes, random);
  }
  return bytes;
}
