import type { AuditAction, FeedbackKind } from '@posthorn/contract';
import { type Actor, type AuditedFields, recordChange } from '@posthorn/domain/audit-log';
import { type FieldFault, invalid, Refusal } from '@posthorn/domain/errors';
import type { Context } from '@posthorn/platform';
import { isMxUrl, toRelayAddress } from '@posthorn/platform/config';
import { createToken, sealSecret } from '@posthorn/platform/secrets';
import { DAY_MS, newId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import { formatRate } from './parse-settings.js';
import { defaultOptions, isServerName, RELAY_NAME, type Relay, type RelayOptions, toServerName } from './relay.js';
import {
  endOldFeedbackSecrets,
  findRelayByName,
  hasFeedbackSecret,
  insertRelay,
  type RelayFields,
  readRelays,
  replaceFeedbackSecret,
  type SealedRelay,
  updateRelayRow,
} from './relay-store.js';
import { beginRoutingChange } from './routing-store.js';

type RelayContext = Pick<Context, 'config' | 'db' | 'now'>;

/** What a change of a relay sets. What is left out stays as it is. */
export type RelayChange = Partial<RelayOptions> & {
  readonly url?: string;
  readonly feedbackSecret?: string;
  /** Whether the pinned topic is forgotten and replaced secrets end at once. */
  readonly feedbackReset?: boolean;
};

/** How long a replaced secret of a provider stays valid. */
const SECRET_OVERLAP_MS = DAY_MS;

/**
 * Adds a relay, which routes can name from then on.
 * @throws Refusal validation_failed; conflict if there is a relay with this name
 */
export async function addRelay(
  ctx: RelayContext,
  actor: Actor,
  { name, url, ...change }: RelayChange & { readonly name: string; readonly url: string },
): Promise<Relay> {
  const id = newId();
  const createdAt = ctx.now();
  assertName(name);
  return ctx.db.transaction(async (trx) => {
    await beginRoutingChange(trx);
    if (await findRelayByName(trx, name))
      throw new Refusal('conflict', { reason: `There is a relay ${name} already.` });
    const fields = { ...defaultOptions, ...toFields(ctx, id, { url, ...change }), address: toAddress(url) };
    await insertRelay(trx, { id, name, feedbackToken: createToken(), createdAt, ...fields });
    await setFeedback(ctx, trx, { id, ...change });
    return finish(trx, actor, { name, before: null, action: 'relay.added' });
  });
}

/** @throws Refusal not_found, validation_failed */
export async function updateRelay(ctx: RelayContext, actor: Actor, name: string, change: RelayChange): Promise<Relay> {
  return ctx.db.transaction(async (trx) => {
    await beginRoutingChange(trx);
    const before = await getRelay(trx, name);
    if (change.url !== undefined && isServerName(name))
      throw invalid({ field: 'url', message: `of ${name} is in SMTP_URL. Change it there` });
    await updateRelayRow(trx, before.id, toFields(ctx, before.id, change));
    await setFeedback(ctx, trx, { id: before.id, ...change });
    return finish(trx, actor, { name, before, action: 'relay.updated' });
  });
}

/** A paused relay gets no new mail, and its waiting mail goes to the next one. @throws Refusal not_found */
export async function setRelayPaused(ctx: RelayContext, actor: Actor, name: string, isPaused: boolean): Promise<Relay> {
  return ctx.db.transaction(async (trx) => {
    await beginRoutingChange(trx);
    const before = await getRelay(trx, name);
    if (before.isPaused !== isPaused) await updateRelayRow(trx, before.id, { pausedAt: isPaused ? ctx.now() : null });
    return finish(trx, actor, { name, before, action: 'relay.updated' });
  });
}

/**
 * Routes that name the relay keep its name, and their mail goes to their other relays. Its feedback is taken for 30 days
 * more.
 * @throws Refusal not_found, validation_failed
 */
export async function removeRelay(ctx: RelayContext, actor: Actor, name: string): Promise<Relay> {
  if (isServerName(name))
    throw invalid({ field: 'name', message: `: ${name} is in SMTP_URL. Remove it there, or pause it here` });
  return ctx.db.transaction(async (trx) => {
    await beginRoutingChange(trx);
    const before = await getRelay(trx, name);
    await updateRelayRow(trx, before.id, { removedAt: ctx.now() });
    await recordRelayChange(trx, actor, { before, after: null, action: 'relay.removed' });
    return before;
  });
}

/** Makes the servers of SMTP_URL known, so that commands can change their options. @param addresses in their order */
export async function registerServers(
  { db, now }: Pick<Context, 'db' | 'now'>,
  addresses: readonly string[],
): Promise<void> {
  const isKnown = (relays: readonly Relay[]) => {
    const servers = relays.filter(({ name }) => isServerName(name));
    return (
      servers.length === addresses.length &&
      servers.every(({ name, address }) =>
        addresses.some((each, index) => toServerName(index) === name && each === address),
      )
    );
  };
  if (isKnown(await readRelays(db))) return;
  await db.transaction(async (trx) => {
    await beginRoutingChange(trx);
    const relays = await readRelays(trx);
    for (const [index, address] of addresses.entries()) {
      const name = toServerName(index);
      const known = relays.find((relay) => relay.name === name);
      if (known) await updateRelayRow(trx, known.id, { address });
      else await insertRelay(trx, { id: newId(), name, address, feedbackToken: createToken(), createdAt: now() });
    }
    for (const { id, name } of relays) {
      const isInUse = addresses.some((_, index) => toServerName(index) === name);
      if (isServerName(name) && !isInUse) await updateRelayRow(trx, id, { removedAt: now() });
    }
  });
}

function assertName(name: string): void {
  if (isServerName(name))
    throw invalid({ field: 'name', message: `must not be ${name}, which is the name of a server in SMTP_URL` });
  if (!RELAY_NAME.test(name))
    throw invalid({
      field: 'name',
      message: 'must be 1 to 64 letters, digits, dots, hyphens or underscores, and begin with a letter or digit',
    });
}

/** @throws Refusal not_found */
async function getRelay(trx: Knex, name: string): Promise<SealedRelay> {
  const relay = await findRelayByName(trx, name);
  if (relay === null) throw new Refusal('not_found', { what: 'relay' });
  return relay;
}

/** @throws Refusal validation_failed */
function toFields(
  { config }: Pick<Context, 'config'>,
  id: string,
  { url, feedbackSecret, feedbackReset, ...options }: RelayChange,
): RelayFields {
  const sealed =
    url === undefined ? {} : { address: toAddress(url), sealedUrl: sealSecret(config, Buffer.from(url), id) };
  return { ...options, ...sealed, ...(feedbackReset && { feedbackTopic: null }) };
}

/** @throws Refusal validation_failed */
function toAddress(url: string): string {
  const fault: FieldFault = { field: 'url', message: 'must be a URL that starts with smtp:// or smtps://, or mx:' };
  try {
    if (!(isMxUrl(url) || /^smtps?:\/\/./i.test(url))) throw invalid(fault);
    return toRelayAddress(url);
  } catch {
    throw invalid(fault);
  }
}

/**
 * What each provider's events are verified with. The events of SES are signed with a certificate of Amazon's. SendGrid
 * and Resend make a secret only when they get the feedback_url, so it cannot be there when the relay is added.
 */
const SECRET_OF: { readonly [Kind in FeedbackKind]: string | null } = {
  ses: null,
  sendgrid: null,
  resend: null,
  mailgun: 'the HTTP webhook signing key',
  postmark: 'user:password, as in the URL of the webhook',
  brevo: 'user:password, as in the URL of the webhook',
  mailjet: 'user:password, as in the URL of the webhook',
  sparkpost: 'user:password, as in the settings of the webhook',
};

/** @throws Refusal validation_failed */
async function setFeedback(
  { config, now }: RelayContext,
  trx: Knex,
  { id, feedback, feedbackSecret, feedbackReset }: RelayChange & { readonly id: string },
): Promise<void> {
  if (feedbackSecret !== undefined) {
    const secretId = newId();
    const sealed = sealSecret(config, Buffer.from(feedbackSecret), secretId);
    const expiresAt = new Date(now().getTime() + SECRET_OVERLAP_MS);
    await replaceFeedbackSecret(trx, id, { id: secretId, sealed, now: now(), expiresAt });
  }
  if (feedbackReset) await endOldFeedbackSecrets(trx, id);
  const secret = feedback == null ? null : SECRET_OF[feedback];
  if (secret !== null && !(await hasFeedbackSecret(trx, id)))
    throw invalid({ field: 'feedback-secret', message: `is missing. For ${feedback}, it is ${secret}` });
}

type Recorded = { readonly before: SealedRelay | null; readonly action: AuditAction };

async function finish(
  trx: Knex.Transaction,
  actor: Actor,
  { name, before, action }: Recorded & { readonly name: string },
): Promise<Relay> {
  const after = await getRelay(trx, name);
  await recordRelayChange(trx, actor, { before, after, action });
  return after;
}

async function recordRelayChange(
  trx: Knex.Transaction,
  actor: Actor,
  { before, after, action }: Recorded & { readonly after: SealedRelay | null },
): Promise<void> {
  const { id, name } = (after ?? before) as SealedRelay;
  await recordChange(trx, actor, {
    workspaceId: null,
    action,
    target: { type: 'relay', id, label: name },
    before: before && describeRelay(before),
    after: after && describeRelay(after),
  });
}

/** What the audit log says about a relay, in the words of the `posthorn` command. */
function describeRelay({ sealedUrl, source, rate, ...relay }: SealedRelay): AuditedFields {
  return {
    name: relay.name,
    address: relay.address,
    url: { value: sealedUrl?.bytes.toString('base64') ?? '', summary: 'changed' },
    connections: relay.connections,
    rate: rate && formatRate(rate),
    warm_up: relay.warmUp?.join(),
    feedback: relay.feedback,
    rewrites_ids: relay.rewritesIds,
    source: [source.ipv4, source.ipv6].filter((address) => address !== null).join() || null,
    ehlo: relay.ehlo,
    paused: relay.isPaused,
  };
}
