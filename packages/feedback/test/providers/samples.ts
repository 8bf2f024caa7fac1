import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ProviderEvent, type ProviderKind, providers } from '../../src/providers/index.js';

/** What an event says; everything that is not expected is left out. */
type ExpectedEvent = Partial<ProviderEvent> & Pick<ProviderEvent, 'kind' | 'addresses'>;

type Sample = { readonly case: string; readonly body: unknown; readonly events: readonly ExpectedEvent[] };

const FOLDER = join(import.meta.dirname, '../samples/providers');

function readSamples(kind: ProviderKind): Sample[] {
  const lines = readFileSync(join(FOLDER, `${kind}.jsonl`), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line));
}

export function readEvents(kind: ProviderKind, body: unknown): ProviderEvent[] {
  return providers[kind].readEvents(Buffer.from(JSON.stringify(body)));
}

/** The events of a sample. */
export function readSample(kind: ProviderKind, name: string): ProviderEvent[] {
  return readEvents(kind, readSamples(kind).find((sample) => sample.case === name)?.body);
}

function summarize(event: ProviderEvent): ExpectedEvent {
  const { kind, addresses, bounceClass, maySuppress, isSure, about, list } = event;
  return {
    kind,
    addresses,
    ...(bounceClass !== null && { bounceClass }),
    ...(maySuppress && { maySuppress }),
    ...(!isSure && { isSure }),
    ...(about !== null && { about }),
    ...(list !== null && { list }),
  };
}

/** Each line of the provider's file has a body and the events that it means. */
export function testSamples(kind: ProviderKind): void {
  test.each(readSamples(kind).map((sample) => [sample.case, sample] as const))('%s', (_, { body, events }) => {
    const found = readEvents(kind, body);
    expect(found.map(summarize)).toEqual(events);
    for (const event of found) expect(event.advice === null).toBe(event.kind !== 'held');
  });
}
