import type { MakeReturnPath } from '@posthorn/domain/bounces';
import {
  type ClaimedEmail,
  listPendingRecipients,
  type Outcome,
  type RecipientResult,
  type Wait,
} from '@posthorn/domain/delivery';
import { toLogFields } from '@posthorn/domain/emails';
import type { Routing } from '@posthorn/domain/relays';
import type { FindSuppressed } from '@posthorn/domain/suppressions';
import { type FairQueue, runInTurn } from '@posthorn/domain/throttles';
import {
  findSenderKey,
  getSenderHost,
  type Message,
  type MessageContext,
  type NotBuilt,
  renderMessage,
  signEmail,
} from '@posthorn/message';
import type { Context } from '@posthorn/platform';
import { failpoint } from '@posthorn/platform/failpoints';
import { inSpan, type Span } from '@posthorn/platform/traces';
import { listParts, type Part } from '../routing/email-parts.js';
import type { FreshCopy } from '../routing/fresh-copy.js';
import type { BuildCopy, NoRoute, SendResult } from '../smtp/failover.js';
import type { Relays } from '../smtp/relays.js';
import type { Envelope } from '../smtp/send-message.js';
import { buildLocalOutcome, buildTransactionOutcome } from './build-outcome.js';
import { recoverHandoff, saveHandoff, saveIntent, savePartialHandoff } from './handoff.js';
import type { HoldBack } from './hold-back.js';
import type { Lease, Leases } from './leases.js';
import { createCopies } from './message-copies.js';
import {
  buildHeldOutcome,
  buildLeaseEndedOutcome,
  buildNoRouteOutcome,
  buildPostponedOutcome,
  buildUnsendableOutcome,
  findLateOutcome,
} from './outcomes-without-transaction.js';
import { isNotAmong } from './recipient-results.js';
import { type OutcomeContext, recordOutcome, reportAttempt, reportLostAttempt } from './record-outcome.js';
import { isExpired } from './retry-schedule.js';
import { findHoldBack, isTried, type SentPart, sendParts } from './send-parts.js';
import { listLocalResults } from './simulate.js';
import { findSuppressedRecipients } from './suppressed-recipients.js';

export type DeliveryContext = Context &
  MessageContext &
  OutcomeContext & {
    readonly relays: Relays;
    readonly routing: FreshCopy<Routing>;
    readonly holdBack: HoldBack;
    readonly makeReturnPath: MakeReturnPath;
    readonly findSuppressed: FindSuppressed;
    readonly leases: Leases;
    /** Emails that were claimed ahead wait here, built and signed, for one of WORKER_CONCURRENCY turns. */
    readonly sendingTurns: FairQueue;
    /** The part of claiming/slots.ts that deliveries need. */
    readonly slots: { release(workspaceId: string): void; releaseToRecord(workspaceId: string): () => void };
  };

/** The email was not sent, because it has to wait for a limit or a route. */
type HeldBack = Pick<Wait, 'waitsFor'>;

/** All workspaces share the turns to send. */
const SENDING = 'sending';

const NO_PAUSE = () => 0;

/** @property claimedAt by the clock of `performance.now()`. @property source what told the worker about the email */
type Claim = { readonly claimedAt: number; readonly source: 'job' | 'sweep' };

/**
 * Delivers a claimed email under its lease and records the outcome. The slot is released before the outcome is
 * recorded, so that the next email can be sent while Postgres writes.
 */
export async function deliverUnderLease(
  ctx: DeliveryContext,
  email: ClaimedEmail,
  { claimedAt, source }: Claim,
): Promise<void> {
  const lease = ctx.leases.hold(email, claimedAt);
  const span = startAttempt(ctx, email, claimedAt);
  ctx.metrics.inHand.inc();
  ctx.metrics.claimed.inc({ source: email.reclaimed ? 'lost_worker' : source });
  let release = () => ctx.slots.release(email.workspaceId);
  try {
    const outcome = await deliverEmail(ctx, email, lease, span).finally(() => ctx.messageMemory.release(email));
    if ('waitsFor' in outcome) return await ctx.holdBack({ ...email, ...outcome });
    reportAttempt(ctx, email, outcome, performance.now() - claimedAt);
    release = ctx.slots.releaseToRecord(email.workspaceId);
    if (span) describeOutcome(span, outcome);
    await inSpan(span?.startStep('record outcome'), () => recordOutcome(ctx, outcome));
    failpoint('after_outcome');
  } catch (error) {
    // Only a bug leads here, and no email is lost: another worker claims the email when the lease expires.
    ctx.log.error({ error, ...toLogFields(email) }, 'delivery_failed');
  } finally {
    span?.end();
    lease.end();
    release();
    ctx.metrics.inHand.dec();
    ctx.metrics.attemptSeconds.observe((performance.now() - claimedAt) / 1_000);
  }
}

function describeOutcome(span: Span, { outcome, route, recipientResults: [first] }: Outcome): void {
  span.set({ 'posthorn.outcome': outcome, 'posthorn.relay': route, 'posthorn.smtp_code': first?.smtpCode });
}

/** The attempt is part of the trace of the request that the email was accepted with, however long ago that was. */
function startAttempt({ tracer }: DeliveryContext, email: ClaimedEmail, startedAt: number): Span | undefined {
  if (tracer === null) return undefined;
  const { id, workspaceId, attempt, requestId } = email;
  const attributes = {
    'messaging.system': 'posthorn',
    'messaging.operation.name': 'deliver',
    'messaging.operation.type': 'process',
    'messaging.message.id': id,
    'posthorn.workspace.id': workspaceId,
    'posthorn.request.id': requestId,
    'posthorn.attempt': attempt,
  };
  return tracer.startWork('deliver email', [email], { kind: 'consumer', attributes, startedAt });
}

/**
 * The delivery flow, from a claimed email to its outcome, which `deliverUnderLease` records: recover -> hold -> drop
 * suppressed recipients -> render -> sign -> send -> read the replies -> write the handoff marker. The policy:
 *
 * - Test mail and mail for the simulator is built and signed, but not sent. Its results come from `listLocalResults`.
 * - Each recipient has its own result: 2xx is sent, 4xx or a lost connection deferred, 5xx bounced.
 * - As long as no relay can have received the message, the next relay is tried. An attempt that ends with a reply or a
 *   lost connection is charged.
 * - If no relay can be used, the email waits and the attempt is not charged. Only the last attempt of this kind is kept.
 * - If the connection is lost after the final dot, the attempt is ambiguous (RFC 1047). So is an attempt whose worker
 *   stopped without a handoff marker. AMBIGUOUS_POLICY decides whether the email is sent again or held.
 * - Before it sends the end of a large message, the worker writes a handoff intent to Postgres. If it stops before that,
 *   no server has the message, so the attempt is not ambiguous and is repeated.
 * - An email expires if it was not handed to a mail server by its expires_at. It is never sent after that time.
 * - An email fails if it cannot be built or signed, is too old, or its sending domain is no longer verified.
 * - If a template, attachment or signing key cannot be read, or the handoff intent cannot be written, the email waits and
 *   the attempt is not charged. No email is sent unsigned or without its files.
 *
 * Never throws because of an email. Every problem becomes an outcome.
 * @param span the span of the attempt, if the email is traced
 */
async function deliverEmail(
  ctx: DeliveryContext,
  email: ClaimedEmail,
  lease: Lease,
  span: Span | undefined,
): Promise<Outcome | HeldBack> {
  failpoint('after_claim');
  const recovered = await recoverOutcome(ctx, email);
  if (recovered) return recovered;

  const ended = findHeldOutcome(ctx, email) ?? findLateOutcome(ctx, email);
  if (ended) return ended;

  const suppressed = await findSuppressedRecipients(ctx, email);
  if ('outcome' in suppressed) return suppressed.outcome;

  const rendered = await renderMessage(ctx, email);
  if ('fault' in rendered) return buildUnsendableOutcome(ctx, email, rendered.fault);
  if ('postponed' in rendered) return buildPostponedOutcome(ctx, email, rendered.postponed);

  const local = [...suppressed.results, ...listLocalResults(ctx.config, email).filter(isNotAmong(suppressed.results))];
  const envelope = buildEnvelope(ctx, email, local);
  const { version, parts: planned } = await planParts(ctx, email, envelope);
  const signed = await signMessage(ctx, email, { message: rendered.message, parts: planned });
  if (!('message' in signed)) return buildNotSignedOutcome(ctx, email, signed);
  if (envelope.to.length === 0) return buildLocalOutcome(ctx, email, signed.message ?? rendered.message, local);

  const build = createCopies(ctx, email, { message: rendered.message, plain: signed.message });
  const parts = await sendInTurn(ctx, email, { envelope, parts: planned, build, lease, span });
  const waitsFor = findHoldBack(email, parts);
  if (waitsFor !== null) return { waitsFor: `${waitsFor}@${version}` };
  const untried = findUntriedOutcome(ctx, email, parts);
  if (untried) return untried;

  failpoint('after_reply');
  const outcome = buildTransactionOutcome(ctx, email, parts, local);
  await saveHandoff(ctx, outcome);
  failpoint('after_marker');
  return outcome;
}

/** @property version of the relays and routes by which the parts were decided */
type Plan = { readonly parts: readonly Part[]; readonly version: string };

/** By which relays the recipients in the envelope go. */
async function planParts(ctx: DeliveryContext, email: ClaimedEmail, { to }: Envelope): Promise<Plan> {
  const routing = await ctx.routing.read();
  const recipients = listPendingRecipients(email).filter(({ address }) => to.includes(address));
  return { parts: listParts(routing, email, recipients), version: routing.version };
}

/** @returns null as the message if every relay gets a copy of its own, which is signed when it is sent */
async function signMessage(
  ctx: DeliveryContext,
  email: ClaimedEmail,
  { message, parts }: { readonly message: Message; readonly parts: readonly Part[] },
): Promise<{ readonly message: Message | null } | NotBuilt> {
  const hasOwnCopies = ({ relays: [first] }: Part) => first !== undefined && ctx.relays.findVariant(first) !== null;
  if (parts.length === 0 || !parts.every(hasOwnCopies)) return signEmail(ctx, email, message);
  const found = await findSenderKey(ctx, email);
  return 'key' in found ? { message: null } : found;
}

type Sending = {
  readonly envelope: Envelope;
  readonly parts: readonly Part[];
  readonly build: BuildCopy;
  readonly lease: Lease;
  readonly span: Span | undefined;
};

/** Sends the message by the relays of its recipients, when it is this email's turn. */
async function sendInTurn(
  ctx: DeliveryContext,
  email: ClaimedEmail,
  { envelope, parts, build, lease, span }: Sending,
): Promise<SentPart[]> {
  const { workspaceId } = email;
  const mayStart = buildMayStart(ctx, email, lease);
  const beforeEnd = email.needsHandoffIntent ? () => saveIntent(ctx, email) : undefined;
  const mail = { workspaceId, envelope, build, mayStart, beforeEnd, span };
  const recipients = listPendingRecipients(email).filter(({ address }) => envelope.to.includes(address));
  const onPart = (ended: readonly SentPart[]) => savePartialHandoff(ctx, { email, recipients, ended });
  return runInTurn(
    ctx.sendingTurns,
    { owner: SENDING, source: workspaceId },
    () => sendParts(ctx.relays, parts, { mail, onPart }),
    NO_PAUSE,
  );
}

/** The outcome of the last attempt, if its worker vanished after a mail server had accepted the message. */
async function recoverOutcome(ctx: DeliveryContext, email: ClaimedEmail): Promise<Outcome | null> {
  const recovered = await recoverHandoff(ctx, email);
  if (!recovered) return null;
  ctx.metrics.recovered.inc();
  // If this worker stops too, the next one looks for the marker of this attempt.
  await saveHandoff(ctx, recovered);
  return recovered;
}

function buildNotSignedOutcome(ctx: DeliveryContext, email: ClaimedEmail, signed: NotBuilt): Outcome {
  const hasFailed = 'fault' in signed;
  ctx.metrics.notSigned.inc({ result: hasFailed ? 'failed' : 'waiting' });
  return hasFailed
    ? buildUnsendableOutcome(ctx, email, signed.fault)
    : buildPostponedOutcome(ctx, email, signed.postponed);
}

/** The outcome of an email whose last worker vanished, if AMBIGUOUS_POLICY forbids sending it again. */
function findHeldOutcome(ctx: DeliveryContext, email: ClaimedEmail): Outcome | null {
  if (!email.reclaimed) return null;
  if (email.ambiguousAttempts > 0 && ctx.config.ambiguousPolicy === 'hold') return buildHeldOutcome(ctx, email);
  reportLostAttempt(ctx, email);
  return null;
}

/** The outcome of an attempt in which no server was asked to take the message, or we stopped before its end. */
function findUntriedOutcome(ctx: DeliveryContext, email: ClaimedEmail, parts: readonly SentPart[]): Outcome | null {
  const tried = parts.filter(isTried).map(({ sent }) => sent);
  const [first] = tried;
  if (first === undefined) return buildNoRouteOutcome(ctx, email, parts[0]?.sent as NoRoute, ctx.relays.pauseSeconds());
  return tried.every(({ end }) => end === 'lease_ended' || end === 'withheld')
    ? findStoppedOutcome(ctx, email, first)
    : null;
}

/** The outcome of an attempt that we ended ourselves. No server has the message. */
function findStoppedOutcome(ctx: DeliveryContext, email: ClaimedEmail, { end, fault }: SendResult): Outcome {
  return end === 'lease_ended' ? buildLeaseEndedOutcome(ctx, email) : buildPostponedOutcome(ctx, email, fault ?? '');
}

/** @returns a function that decides, right before the first byte of the message, whether it may still be sent */
function buildMayStart(ctx: DeliveryContext, email: ClaimedEmail, { isLive }: Lease): () => boolean {
  return email.expiresAt === null ? isLive : () => isLive() && !isExpired(ctx, email);
}

/**
 * MAIL FROM is always ours, so bounces come to the platform and a client cannot send them elsewhere. Its domain is a
 * subdomain of From's domain, so that SPF aligns too (RFC 7489, 3.1.2). It names all recipients and so never changes:
 * greylisting lets in a sender that it has seen before (RFC 6647, 2.2).
 * @param local the results of recipients whose mail needs no server
 */
function buildEnvelope(
  { makeReturnPath }: { readonly makeReturnPath: MakeReturnPath },
  email: ClaimedEmail,
  local: readonly RecipientResult[],
): Envelope {
  const recipients = listPendingRecipients(email).filter(isNotAmong(local));
  return {
    from: makeReturnPath({
      emailId: email.id,
      positions: email.recipients.map(({ position }) => position),
      domain: getSenderHost(email),
    }),
    to: recipients.map(({ address }) => address),
  };
}
