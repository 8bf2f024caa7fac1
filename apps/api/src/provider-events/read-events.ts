import type { FeedbackKind } from '@posthorn/contract';
import { buildEventRows } from '@posthorn/domain/bounces';
import { type ProviderEventKind, providers } from '@posthorn/feedback/providers';

export type EventsJob = { readonly feedback: FeedbackKind; readonly relayId: string; readonly bytes: Uint8Array };

/** @property rows what is stored of the events, as JSON; null if all of them change nothing */
export type EventsResult = {
  readonly rows: string | null;
  readonly counts: Readonly<Partial<Record<ProviderEventKind, number>>>;
};

/** Reads the events of a verified body. */
export function readEvents({ feedback, relayId, bytes }: EventsJob): EventsResult {
  const events = providers[feedback].readEvents(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const counts: Partial<Record<ProviderEventKind, number>> = {};
  for (const { kind } of events) counts[kind] = (counts[kind] ?? 0) + 1;
  const isAllIgnored = events.every(({ kind }) => kind === 'ignored');
  return { rows: isAllIgnored ? null : buildEventRows({ relayId, feedback }, events), counts };
}
