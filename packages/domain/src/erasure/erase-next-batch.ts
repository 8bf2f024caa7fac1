import { createAddressHasher, eraseSuppressedAddress } from '@posthorn/domain/suppressions';
import { forgetCounters } from '@posthorn/domain/workspaces';
import { openSecret } from '@posthorn/platform/secrets';
import type { Knex } from 'knex';
import { NIL } from 'uuid';
import { type EraseContext, eraseEmails, type Refund } from './erase-emails.js';
import { eraseWebhookResponses } from './erase-rows-store.js';
import {
  addEmailsTo,
  addEmailsWithReplyTo,
  deleteErasureEmails,
  type ErasureEmail,
  hasErasureEmails,
  listErasedEmails,
  listRemainingEmails,
} from './erasure-emails-store.js';
import {
  type ErasureProgress,
  type ErasureStep,
  type ErasureWork,
  lockDueErasure,
  postponeErasure,
  saveProgress,
} from './erasure-store.js';
import { eraseFromResponse, findResponsesToErase, replaceResponse } from './stored-responses-store.js';

/**
 * A request to a webhook takes up to 15 seconds, and its result is recorded soon after that. Two minutes after an email
 * was erased, no result can arrive that repeats the old event.
 */
const LATE_RESPONSE_SECONDS = 120;
/** How long an erasure waits after its batch failed. */
const RETRY_SECONDS = 60;

/**
 * Does the next batch of one erasure that is due, in a short transaction of its own. Any number of processes can share
 * the work. If a process stops, nothing of its batch is stored, and another process repeats it.
 * @param options.after what the previous call returned, so that workspaces take turns
 * @returns the live workspace of the erasure; null if no erasure is due
 */
export async function eraseNextBatch(
  ctx: EraseContext,
  {
    after = null,
    lateResponseSeconds = LATE_RESPONSE_SECONDS,
  }: { after?: string | null; lateResponseSeconds?: number } = {},
): Promise<string | null> {
  let found: { id: string; liveId: string } | null = null;
  try {
    const batch = await ctx.db.transaction(async (trx) => {
      const locked = await lockDueErasure(trx, after ?? NIL);
      if (locked === null) return null;
      found = locked;
      const address = openSecret(ctx.config, locked.sealed, locked.id).toString();
      const done = await runBatch(ctx, trx, { ...locked, address }, lateResponseSeconds);
      await saveProgress(trx, locked.id, done.progress);
      return { ...done, workspaceId: locked.liveId };
    });
    if (batch) forgetAll(ctx, batch.refunds);
    return batch?.workspaceId ?? null;
  } catch (error) {
    if (found === null) throw error;
    const { id, liveId } = found as { id: string; liveId: string };
    ctx.log.warn({ error, erasure: id }, 'erasure_failed');
    await postponeErasure(ctx.db, id, RETRY_SECONDS);
    return liveId;
  }
}

function forgetAll(ctx: Pick<EraseContext, 'incarnation' | 'redis'>, refunds: readonly Refund[]): void {
  const days = new Map(refunds.map((refund) => [`${refund.workspaceId}/${refund.usageDay}`, refund]));
  for (const { workspaceId, usageDay } of days.values())
    forgetCounters(ctx, workspaceId, [usageDay.slice(0, 7), usageDay]);
}

/** A batch holds its locks for a few tens of milliseconds. */
const MAX_EMAILS = 100;
const MAX_SCANNED_EMAILS = 2_000;
const MAX_SCANNED_RESPONSES = 500;
/** How often to look whether emails that others are waiting for are finished. */
const WAIT_SECONDS = 30;

/** What a batch has done. The refunds are committed with it. */
type Batch = { readonly progress: ErasureProgress; readonly refunds: readonly Refund[] };

/**
 * Does the next batch of an erasure in the given transaction.
 * @param lateResponseSeconds after this time, no response can arrive to a webhook request with the old address
 */
function runBatch(ctx: StepContext, trx: Knex, work: ErasureWork, lateResponseSeconds: number): Promise<Batch> {
  switch (work.step) {
    case 'recipients':
      return eraseEmailsTo(ctx, trx, work);
    case 'reply_to':
      return eraseEmailsWithReplyTo(ctx, trx, work);
    case 'responses':
      return eraseResponses(trx, work);
    case 'rest':
      return eraseRest(ctx, trx, work, lateResponseSeconds);
    case 'done':
      throw new Error('A finished erasure has no next batch');
    default:
      return work.step satisfies never;
  }
}

type StepContext = Pick<EraseContext, 'config' | 'now' | 'incarnation' | 'redis'>;

async function eraseEmailsTo(ctx: StepContext, trx: Knex, work: ErasureWork): Promise<Batch> {
  const workspaceId = getWorkspaceId(work);
  const ids = await addEmailsTo(trx, toRange(work, MAX_EMAILS));
  const batch = await eraseEmails(ctx, trx, work, { workspaceId, ids });
  return { progress: after(work, ids.length === MAX_EMAILS ? ids.at(-1) : null, batch.erased), refunds: batch.refunds };
}

/** The person is not a recipient of these emails, so those that are waiting are sent first. */
async function eraseEmailsWithReplyTo(ctx: StepContext, trx: Knex, work: ErasureWork): Promise<Batch> {
  const { scanned, last, found } = await addEmailsWithReplyTo(trx, toRange(work, MAX_SCANNED_EMAILS));
  const batch = await eraseEmails(ctx, trx, work, { workspaceId: getWorkspaceId(work), ids: found });
  return { progress: after(work, scanned === MAX_SCANNED_EMAILS ? last : null, batch.erased), refunds: batch.refunds };
}

async function eraseResponses(trx: Knex, work: ErasureWork): Promise<Batch> {
  const workspaceId = getWorkspaceId(work);
  const { scanned, last, found } = await findResponsesToErase(trx, {
    erasureId: work.id,
    workspaceId,
    address: work.address,
    after: work.resumeAfter ?? '',
    limit: MAX_SCANNED_RESPONSES,
  });
  for (const stored of found)
    await replaceResponse(trx, {
      workspaceId,
      keyHash: stored.keyHash,
      response: eraseFromResponse(stored, work.address),
    });
  return { progress: after(work, scanned === MAX_SCANNED_RESPONSES ? last : null, 0), refunds: [] };
}

/**
 * Erases the emails that have been finished in the meantime, and ends the erasure when none remains. The suppressions
 * come with the last emails, because one of these may have bounced.
 */
async function eraseRest(ctx: StepContext, trx: Knex, work: ErasureWork, lateResponseSeconds: number): Promise<Batch> {
  const { id: erasureId, liveId, address } = work;
  const hash = createAddressHasher(ctx.config)(liveId, address);
  await eraseSuppressedAddress(trx, { workspaceId: liveId, address, hash });
  const remaining = await listRemainingEmails(trx, { erasureId, after: work.resumeAfter ?? NIL, limit: MAX_EMAILS });
  const refunds: Refund[] = [];
  let erased = 0;
  for (const [workspaceId, ids] of idsByWorkspace(remaining)) {
    const batch = await eraseEmails(ctx, trx, work, { workspaceId, ids });
    erased += batch.erased;
    refunds.push(...batch.refunds);
  }
  if (remaining.length === MAX_EMAILS) return { progress: after(work, remaining.at(-1)?.id, erased), refunds };
  const erasedBefore = await listErasedEmails(trx, { erasureId, seconds: lateResponseSeconds, limit: MAX_EMAILS });
  for (const [workspaceId, ids] of idsByWorkspace(erasedBefore)) {
    await eraseWebhookResponses(trx, workspaceId, ids);
    await deleteErasureEmails(trx, erasureId, ids);
  }
  const isDone = !(await hasErasureEmails(trx, erasureId));
  const pauseSeconds = erasedBefore.length === MAX_EMAILS ? 0 : WAIT_SECONDS;
  const progress = {
    step: isDone ? 'done' : 'rest',
    isInTestMail: false,
    resumeAfter: null,
    pauseSeconds,
    erased,
  } as const;
  return { progress, refunds };
}

function idsByWorkspace(emails: readonly ErasureEmail[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { id, workspaceId } of emails) groups.set(workspaceId, [...(groups.get(workspaceId) ?? []), id]);
  return groups;
}

function getWorkspaceId({ liveId, testId, isInTestMail }: ErasureWork): string {
  return isInTestMail && testId !== null ? testId : liveId;
}

function toRange(work: ErasureWork, limit: number) {
  const { id: erasureId, address, below, resumeAfter } = work;
  return { erasureId, workspaceId: getWorkspaceId(work), address, after: resumeAfter ?? NIL, below, limit };
}

/** @param resumeAfter where the step continues; null if it is finished in this workspace */
function after(work: ErasureWork, resumeAfter: string | null | undefined, erased: number): ErasureProgress {
  const { step, isInTestMail, testId } = work;
  if (resumeAfter) return { step, isInTestMail, resumeAfter, pauseSeconds: 0, erased };
  if (!isInTestMail && testId !== null) return { step, isInTestMail: true, resumeAfter: null, pauseSeconds: 0, erased };
  return { step: NEXT[step], isInTestMail: false, resumeAfter: null, pauseSeconds: 0, erased };
}

const NEXT: Readonly<Record<ErasureStep, ErasureStep>> = {
  recipients: 'reply_to',
  reply_to: 'responses',
  responses: 'rest',
  rest: 'rest',
  done: 'done',
};
