import { createHmac } from 'node:crypto';
import { at, type Json, parseElements, toArray, toId, toMessageId, toObject, toText, toTime } from './json.js';
import { checkKey, findByName, KEY_HEADER } from './key.js';
import {
  complained,
  deferred,
  delivered,
  findOutcome,
  held,
  ignored,
  type OutcomeTable,
  refused,
  toEvent,
} from './outcome.js';
import type { FeedbackRequest, Provider, ProviderEvent, Verification } from './provider.js';
import { readSesBounce, type SesLists } from './ses-bounces.js';
import { toAddresses } from './text.js';
import { asEvents, FORGED, getHeader, isEqual, isFresh, tooOld } from './verify.js';

const SUPPRESSED = 'The address is on the suppression list of Resend. Remove it there under Emails, Suppressions.';
const LISTS: SesLists = { global: SUPPRESSED, account: SUPPRESSED, contacts: SUPPRESSED };

/** https://resend.com/docs/webhooks/event-types. The argument is `data`. */
const outcomes: OutcomeTable<Json> = {
  'email.delivered': () => delivered(''),
  'email.delivery_delayed': () => deferred(''),
  'email.bounced': (data) => {
    const [type, subType, words] = ['type', 'subType', 'message'].map((name) => toText(at(data, 'bounce', name)));
    return (
      readSesBounce({ type: type ?? '', subType: subType ?? '', words: words ?? '', status: '' }, LISTS) ?? ignored
    );
  },
  'email.complained': () => complained(),
  'email.suppressed': (data) => held('other', SUPPRESSED, toText(at(data, 'suppressed', 'message'))),
  'email.failed': (data) => refused(toText(at(data, 'failed', 'reason')), 'relay'),
};

function toProviderEvent(element: Json): ProviderEvent {
  const type = toText(element.type);
  const data = toObject(element.data);
  const addresses = toAddresses(...(Array.isArray(data.to) ? toArray(data.to) : [data.to]));
  const subject = {
    name: [type, toText(at(data, 'bounce', 'type')), toText(at(data, 'bounce', 'subType'))].filter(Boolean).join('/'),
    key: readKey(data.headers),
    providerId: toId(data.email_id),
    messageId: toMessageId(data.message_id),
    addresses,
    // It lists all recipients, whichever the event is about.
    isSure: addresses.length <= 1,
    // `data.created_at` is the time of the email.
    occurredAt: toTime(element.created_at),
    id: [type, element.created_at],
  };
  return toEvent(subject, findOutcome(outcomes, type, data));
}

/** Headers are an object, or a list of objects with a name and a value. */
function readKey(headers: unknown): unknown {
  const listed = toArray(headers).map((header) => [toText(at(header, 'name')), at(header, 'value')] as const);
  return findByName({ ...toObject(headers), ...Object.fromEntries(listed) }, KEY_HEADER);
}

const MAX_AGE_SECONDS = 5 * 60;

/** Resend signs as Svix does: https://docs.svix.com/receiving/verifying-payloads/how-manual */
async function verifyResend(request: FeedbackRequest): Promise<Verification> {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    getHeader(request, `svix-${name}`),
  );
  const given = (signatures ?? '').split(' ').filter((signature) => signature.startsWith('v1,'));
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), request.rawBody]);
  const isSigned = request.secrets.some((secret) => {
    const key = readKeyBytes(secret);
    if (key === null) return false;
    const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
    return given.some((signature) => isEqual(signature, expected));
  });
  if (!isSigned) return FORGED;
  return isFresh(timestamp ?? '', request.now, MAX_AGE_SECONDS) ? asEvents : tooOld('5 minutes');
}

function readKeyBytes(secret: string): Buffer | null {
  const [, base64 = ''] = /^whsec_([\w+/-]+=*)$/.exec(secret) ?? [];
  return base64 === '' ? null : Buffer.from(base64, 'base64');
}

const ID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/i;

export const resend: Provider = {
  name: 'Resend',
  keyName: KEY_HEADER,
  buildHeaders: (key) => [{ name: KEY_HEADER, value: checkKey(key) }],
  // Not documented. Its ids are UUIDs, so one in its reply cannot be anything else.
  readReplyId: (reply) => ID.exec(reply)?.[0]?.toLowerCase() ?? null,
  findSecretFault: (secret) =>
    readKeyBytes(secret) === null
      ? 'The secret must be the signing secret of the webhook, which begins with whsec_.'
      : null,
  verify: verifyResend,
  readEvents: (rawBody) => parseElements(rawBody).map(toProviderEvent),
};
