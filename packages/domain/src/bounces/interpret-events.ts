import { parseFeedbackKey, parseMessageId } from '@posthorn/domain/emails';
import { HOUR_MS } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import type { InterpretedReport, RecipientReport } from './interpret-report.js';
import { findByProviderIds, findPositions, type ProviderMail, type StoredEvent } from './provider-event-store.js';
import type { LeasedReport } from './report-store.js';
import type { ReturnPathEnvelope } from './return-path.js';

/** Events may come before our own record of the mail that they are about. */
const MAX_WAIT_MS = HOUR_MS;

/** An event that a provider posted, with what it is about and what it says. */
export type InterpretedEvent = InterpretedReport & { readonly provider: NonNullable<InterpretedReport['provider']> };

/**
 * Finds the emails that events are about: by the key in the header that we added, then by the provider's id, and last by our
 * Message-ID, never by an address alone.
 */
export async function interpretEvents(
  db: Knex,
  reports: readonly LeasedReport[],
  now: Date,
): Promise<InterpretedEvent[]> {
  const leased = reports.map((report) => ({ report, event: parseEvent(report.raw) }));
  const events = leased.flatMap(({ event }) => event ?? []);
  const named = events.flatMap((event) => listNamed(event).map(({ emailId }) => emailId));
  const known: KnownMail = {
    byProviderId: await findByProviderIds(
      db,
      reports.flatMap(({ relayId }) => relayId ?? []),
      events.flatMap(({ providerId }) => providerId ?? []),
    ),
    positions: await findPositions(db, [...new Set(named)]),
  };
  return leased.map(({ report, event }) => interpretEvent(report, event, known, now));
}

/** @returns null if nothing is left of it, because a recipient of its email was erased */
function parseEvent(raw: Buffer): StoredEvent | null {
  return raw.length === 0 ? null : JSON.parse(raw.toString());
}

type KnownMail = {
  readonly byProviderId: readonly ProviderMail[];
  readonly positions: ReadonlyMap<string, readonly number[]>;
};

function interpretEvent(
  { id, tries, relayId, receivedAt, envelope: stored }: LeasedReport,
  event: StoredEvent | null,
  known: KnownMail,
  now: Date,
): InterpretedEvent {
  const envelope = event === null ? stored : findEnvelope(event, relayId ?? '', known);
  const isEarly = now.getTime() - receivedAt.getTime() < MAX_WAIT_MS;
  return {
    id,
    tries,
    mailbox: null,
    kind: 'provider_event',
    envelope,
    recipients: event === null ? [] : toRecipientReports(event),
    provider: {
      relayId: relayId ?? '',
      feedback: event?.feedback ?? null,
      mayComeLater: isEarly && event !== null && (envelope !== null || event.providerId !== null),
    },
  };
}

/** The emails that the event itself names, the best proof first. */
function listNamed({ key, messageId }: StoredEvent): Array<{ emailId: string; position: number | null }> {
  const byKey = key === null ? null : parseFeedbackKey(key);
  const byMessageId = messageId === null ? null : parseMessageId(messageId);
  return [...(byKey ? [byKey] : []), ...(byMessageId ? [{ emailId: byMessageId.id, position: null }] : [])];
}

function findEnvelope(event: StoredEvent, relayId: string, known: KnownMail): ReturnPathEnvelope | null {
  const toKnown = ({ emailId, position }: ReturnType<typeof listNamed>[number]): ReturnPathEnvelope[] => {
    const positions = known.positions.get(emailId);
    return positions === undefined ? [] : [{ emailId, positions: position === null ? positions : [position] }];
  };
  const [byKey, byMessageId] = [true, false].map((isKey) =>
    listNamed(event)
      .filter(({ position }) => (position !== null) === isKey)
      .flatMap(toKnown),
  );
  const withId = known.byProviderId.filter((mail) => mail.relayId === relayId && mail.providerId === event.providerId);
  // An id of two emails would be no proof for either of them.
  return byKey?.[0] ?? (withId.length === 1 ? withId[0] : undefined) ?? byMessageId?.[0] ?? null;
}

/** What the event says, in the words of other reports. A person who left at the provider has also left here. */
function toRecipientReports(event: StoredEvent): RecipientReport[] {
  const { kind, list } = event;
  switch (kind) {
    case 'held':
      return [toReport(event, 'failed'), ...(list === 'unsubscribes' ? [toReport(event, 'unsubscribed')] : [])];
    case 'refused':
      return [toReport(event, 'failed')];
    case 'ignored':
      return [];
    case 'delivered':
    case 'bounced':
    case 'deferred':
    case 'complained':
    case 'unsubscribed':
      return [toReport(event, kind)];
    default:
      return kind satisfies never;
  }
}

function toReport(event: StoredEvent, what: RecipientReport['event']): RecipientReport {
  const { addresses, code, bounceClass, isSure, maySuppress, occurredAt } = event;
  return {
    event: what,
    addresses,
    code,
    text: describe(event, what),
    bounceClass,
    isUncertain: false,
    isAuthenticated: true,
    provider: { isSure, maySuppress, occurredAt: occurredAt === null ? null : new Date(occurredAt) },
  };
}

function describe({ text, advice, kind }: StoredEvent, what: RecipientReport['event']): string {
  if (what === 'unsubscribed') return 'The recipient unsubscribed at the provider of the relay';
  if (what === 'complained') return 'The recipient marked it as spam';
  if (kind === 'held') return [advice, text && `(${text})`].filter(Boolean).join(' ');
  if (kind === 'refused')
    return `The provider of the relay took it and then refused it: ${text ?? 'it does not say why'}`;
  return text ?? '';
}
