import type { Warning } from '@posthorn/contract';
import { assertExpiry, assertSchedulable } from '@posthorn/domain/emails';
import { type FieldFault, invalid, Refusal, toItemFault } from '@posthorn/domain/errors';
import type { Address } from '@posthorn/domain/format';
import { limits } from '@posthorn/domain/limits';
import { buildTracking, buildUnsubscribeUrl } from '@posthorn/domain/links';
import { findStorageFault, readStoredBytes } from '@posthorn/domain/plans';
import { getMode, getPeriods, isTest, type Workspace } from '@posthorn/domain/workspaces';
import { formatCountOf, newId } from '@posthorn/platform/values';
import type { AcceptContext } from './accept-context.js';
import { measureCountedBytes, type NewEmail, type NewEmails } from './commit-request.js';
import { assertMessageSize } from './message-size.js';
import { assertMayReceive, findSimulated, listSuppressedRecipients } from './recipients.js';
import { resolveContent } from './resolve-content.js';
import { resolveSender } from './resolve-sender.js';
import {
  countRecipients,
  type InvalidRequest,
  isInvalid,
  type RequestedContent,
  type SendCaller,
  type SendRequest,
} from './send-request.js';

type DraftContext = Pick<
  AcceptContext,
  'config' | 'db' | 'findCurrentVersion' | 'findSenderDomain' | 'findSuppressed' | 'now' | 'templates'
>;

type Drafter = Pick<SendCaller, 'workspace' | 'domainIds'>;

/**
 * What a batch means: `strict` accepts all of its emails or none, and `permissive` accepts those that can be accepted.
 * Undefined for a single email.
 */
export type BatchMode = 'strict' | 'permissive' | undefined;

/** An email of a permissive batch that was refused. The index is its position in the request. */
export type RefusedDraft = { readonly index: number; readonly refusal: Refusal };

export type Drafts = { readonly emails: NewEmails; readonly refused: readonly RefusedDraft[] };

/**
 * The emails as they would be stored, or the refusal if this caller may not send them. All have the same createdAt,
 * because all recipients of a batch count toward the same day and month.
 */
export async function draftEmails(
  ctx: DraftContext,
  caller: Drafter,
  { requests, batch }: { requests: ReadonlyArray<SendRequest | InvalidRequest>; batch?: BatchMode },
): Promise<Drafts | Refusal> {
  const refused = findPauseRefusal(caller.workspace);
  if (refused) return refused;
  const createdAt = ctx.now();
  const drafts = await Promise.all(
    requests.map((request) => (isInvalid(request) ? request.refusal : draftEmail(ctx, caller, request, createdAt))),
  );
  const chosen = chooseDrafts(drafts, batch);
  if (chosen instanceof Refusal) return chosen;
  return (await findStorageRefusal(ctx, caller.workspace, chosen.emails)) ?? chosen;
}

/** The drafts that are to be stored, or the refusal of the whole request. */
function chooseDrafts(drafts: ReadonlyArray<NewEmail | Refusal>, batch: BatchMode | undefined): Drafts | Refusal {
  if (batch === 'permissive') return separateRefused(drafts);
  const refusal = batch ? findBatchRefusal(drafts) : drafts.find((draft) => draft instanceof Refusal);
  return refusal ?? { emails: drafts as unknown as NewEmails, refused: NONE_REFUSED };
}

const NONE_REFUSED: readonly RefusedDraft[] = [];

/** @returns one refusal if no email can be accepted, or if one could not be drafted for a reason of our own */
function separateRefused(drafts: ReadonlyArray<NewEmail | Refusal>): Drafts | Refusal {
  const refused = drafts.flatMap((refusal, index) => (refusal instanceof Refusal ? [{ index, refusal }] : []));
  const unavailable = refused.find(({ refusal }) => refusal.status >= 500);
  if (unavailable) return unavailable.refusal;
  const [first, ...others] = drafts.filter((draft) => !(draft instanceof Refusal));
  if (first === undefined) return invalid(...refused.flatMap(({ refusal, index }) => listFaults(refusal, index)));
  return { emails: [first, ...others], refused };
}

/**
 * Test mail and large live emails must fit into the storage of their workspace. The limit may be exceeded by what
 * arrives at the same moment: at most the bodies that a workspace may hold in each process (http/body-budget.ts).
 */
async function findStorageRefusal(
  { db }: Pick<AcceptContext, 'db'>,
  workspace: Workspace,
  emails: NewEmails,
): Promise<Refusal | null> {
  const added = emails.reduce((sum, email) => sum + email.countedBytes, 0);
  if (added === 0) return null;
  const used = await readStoredBytes(db, workspace.liveId);
  return findStorageFault(used, { added, limit: workspace.allowance.storageBytes });
}

async function draftEmail(
  ctx: DraftContext,
  caller: Drafter,
  request: SendRequest,
  createdAt: Date,
): Promise<NewEmail | Refusal> {
  try {
    const { workspace } = caller;
    assertMayReceive(ctx.config, workspace, request);
    const simulated = findSimulated(request, ctx.config.simulatorDomain);
    const sender = await resolveSender(ctx, caller, request);
    const id = newId();
    const link = buildLink(ctx, request, { id, workspaceId: workspace.id });
    const content = await resolveContent(ctx, workspace.liveId, request.content, link);
    assertMessageSize({ request, from: sender.from, content, unsubscribeUrl: link });
    if (request.scheduledAt) assertSchedulable(request.scheduledAt, createdAt);
    if (request.expiresAt) assertExpiry(request.expiresAt, request.scheduledAt ?? createdAt);
    const suppressed = await listSuppressedRecipients(ctx, workspace, request, simulated);
    const mode = getMode(workspace);
    const { subject, template } = content;
    return {
      request,
      id,
      workspaceId: workspace.id,
      status: request.scheduledAt ? 'scheduled' : 'queued',
      from: sender.from,
      domainId: sender.domainId,
      subject,
      template,
      tracking: buildTracking(ctx.config, sender.tracks, {
        hasHtml: hasHtml(request.content),
        recipients: countRecipients(request),
      }),
      mode,
      countedBytes: measureCountedBytes({ mode, request, subject, template }),
      isSimulated: simulated.any,
      createdAt,
      warnings: listWarnings(request, { used: sender.from, suppressed: [...suppressed.keys()] }, createdAt),
      usageDay: getPeriods(createdAt).day,
    };
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** The link with which the recipient of an email with a topic unsubscribes. */
function buildLink(
  { config }: DraftContext,
  { topic, to: [recipient] }: SendRequest,
  { id: emailId, workspaceId }: Pick<NewEmail, 'id' | 'workspaceId'>,
): string | null {
  if (topic === undefined || recipient === undefined) return null;
  return buildUnsubscribeUrl(config, { workspaceId, emailId, topic, address: recipient.address });
}

/** A template always has html. */
function hasHtml(content: RequestedContent): boolean {
  return content.kind === 'template' || content.html !== null;
}

/** The refusal of live mail from a paused workspace. Test mail is never sent, so it harms nobody. */
export function findPauseRefusal(workspace: Workspace): Refusal | null {
  if (workspace.pause === null || isTest(workspace)) return null;
  return new Refusal('workspace_paused', { reason: workspace.pause.reason });
}

/**
 * One refusal for a batch, with the faults of all its emails. Each fault begins with the index of its email, such as
 * `[2].from_`. The code is that of the first email that was refused.
 * @param drafts for each email, its draft or its refusal
 * @returns null if no email was refused
 */
function findBatchRefusal(drafts: readonly unknown[]): Refusal | null {
  const first = drafts.findIndex((draft) => draft instanceof Refusal);
  if (first === -1) return null;
  const faults = drafts.flatMap((draft, index) => (draft instanceof Refusal ? listFaults(draft, index) : []));
  const refusal = drafts[first] as Refusal;
  if (refusal.code === 'validation_failed') return invalid(...faults);
  refusal.message = `The email at [${first}] was refused. ${refusal.message}`;
  return refusal.with({ faults: faults.slice(0, limits.faults.max) });
}

function listFaults({ code, message, extras }: Refusal, index: number): FieldFault[] {
  const faults = extras.faults ?? [{ field: '', message: `was refused with ${code}: ${message}` }];
  return faults.map((fault) => toItemFault(index, fault));
}

const NONE: readonly Warning[] = [];

/**
 * @param used the address that the email is sent from
 * @param suppressed the recipients that will not get the email
 */
export function listWarnings(
  request: SendRequest,
  { used, suppressed }: { used: Address; suppressed: readonly string[] },
  now: Date,
): readonly Warning[] {
  const { from, duplicates, expiresAt, scheduledAt } = request;
  const replaced = from !== null && from.address !== used.address ? from : null;
  if (replaced === null && duplicates === undefined && expiresAt === undefined && suppressed.length === 0) return NONE;
  return [
    replaced === null ? null : senderReplaced(replaced, used),
    duplicates === undefined ? null : duplicatesRemoved(duplicates.count),
    suppressed.length === 0 ? null : recipientsSuppressed(suppressed),
    expiresAt === undefined ? null : expiresSoon(expiresAt, scheduledAt ?? now),
  ].filter((warning) => warning !== null);
}

function senderReplaced(requested: Address, used: Address): Warning {
  const message = `The email is sent from ${used.address} instead of ${requested.address}, because this workspace has no verified domain. Verify one, or omit from_.`;
  return { code: 'sender_replaced', message };
}

function duplicatesRemoved(count: number): Warning {
  const message = `${formatCountOf(count, 'recipient')} occurred more than once. Every address gets the email once.`;
  return { code: 'duplicate_recipients_removed', message };
}

function recipientsSuppressed(addresses: readonly string[]): Warning {
  const which = addresses.length === 1 ? 'One recipient is' : `${addresses.length} recipients are`;
  const message = `${which} suppressed and will not get the email: ${addresses.join(', ')}.`;
  return { code: 'suppressed_recipients', message };
}

/** The first attempt usually takes less time, but a retry does not. */
const SOON_SECONDS = 60;

/** @param dueAt when the email is first due. @returns null if enough time is left */
function expiresSoon(expiresAt: Date, dueAt: Date): Warning | null {
  const seconds = Math.floor((expiresAt.getTime() - dueAt.getTime()) / 1_000);
  if (seconds >= SOON_SECONDS) return null;
  const message = `The email expires ${formatCountOf(seconds, 'second')} after it is due, which leaves no time for a retry.`;
  return { code: 'expires_soon', message };
}
