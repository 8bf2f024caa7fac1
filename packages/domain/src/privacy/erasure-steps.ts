import type { Knex } from 'knex';
import { NIL } from 'uuid';
import { type EraseContext, eraseEmails } from './erase-emails.js';
import { eraseFromResponse } from './erase-from-response.js';
import type { ErasureProgress, ErasureStep, ErasureWork } from './erasure.js';
import {
  forgetEmails,
  hasNotedEmails,
  listEmailsLeft,
  listSettledEmails,
  type NotedEmail,
  noteEmailsTo,
  noteEmailsWithReplyTo,
} from './found-emails-store.js';
import { eraseReceivedBodies } from './received-bodies-store.js';
import type { Refund } from './stop-sending.js';
import { findResponsesToErase, replaceResponse } from './stored-responses-store.js';

/** A batch holds its locks for a few tens of milliseconds. */
const MAX_EMAILS = 100;
const MAX_SCANNED_EMAILS = 2_000;
const MAX_SCANNED_RESPONSES = 500;
/** How often to look whether emails that others are waiting for are finished. */
const WAIT_SECONDS = 30;

/** What a batch has done. The refunds are committed with it. */
export type Batch = { readonly progress: ErasureProgress; readonly refunds: readonly Refund[] };

/**
 * Does the next batch of an erasure in the given transaction.
 * @param settleSeconds how long to wait until no webhook request built from the old event can still be running
 */
export function takeStep(
  ctx: Pick<EraseContext, 'now' | 'redis'>,
  trx: Knex,
  work: ErasureWork,
  settleSeconds: number,
): Promise<Batch> {
  switch (work.step) {
    case 'recipients':
      return eraseEmailsTo(ctx, trx, work);
    case 'reply_to':
      return eraseEmailsWithReplyTo(ctx, trx, work);
    case 'responses':
      return eraseResponses(trx, work);
    case 'rest':
      return eraseRest(ctx, trx, work, settleSeconds);
    case 'done':
      throw new Error('A finished erasure has no next batch');
    default:
      return work.step satisfies never;
  }
}

type StepContext = Pick<EraseContext, 'now' | 'redis'>;

async function eraseEmailsTo(ctx: StepContext, trx: Knex, work: ErasureWork): Promise<Batch> {
  const workspaceId = workspaceOf(work);
  const ids = await noteEmailsTo(trx, rangeOf(work, MAX_EMAILS));
  const batch = await eraseEmails(ctx, trx, work, { workspaceId, ids });
  return { progress: after(work, ids.length === MAX_EMAILS ? ids.at(-1) : null, batch.erased), refunds: batch.refunds };
}

/** The person is not a recipient of these emails, so those that are waiting are sent first. */
async function eraseEmailsWithReplyTo(ctx: StepContext, trx: Knex, work: ErasureWork): Promise<Batch> {
  const { scanned, last, found } = await noteEmailsWithReplyTo(trx, rangeOf(work, MAX_SCANNED_EMAILS));
  const batch = await eraseEmails(ctx, trx, work, { workspaceId: workspaceOf(work), ids: found });
  return { progress: after(work, scanned === MAX_SCANNED_EMAILS ? last : null, batch.erased), refunds: batch.refunds };
}

async function eraseResponses(trx: Knex, work: ErasureWork): Promise<Batch> {
  const workspaceId = workspaceOf(work);
  const { scanned, last, found } = await findResponsesToErase(trx, {
    erasureId: work.id,
    workspaceId,
    after: work.place ?? '',
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

/** Erases the emails that have been finished in the meantime, and ends the erasure when none is left. */
async function eraseRest(ctx: StepContext, trx: Knex, work: ErasureWork, settleSeconds: number): Promise<Batch> {
  const { id: erasureId } = work;
  const left = await listEmailsLeft(trx, { erasureId, after: work.place ?? NIL, limit: MAX_EMAILS });
  const refunds: Refund[] = [];
  let erased = 0;
  for (const [workspaceId, ids] of byWorkspace(left)) {
    const batch = await eraseEmails(ctx, trx, work, { workspaceId, ids });
    erased += batch.erased;
    refunds.push(...batch.refunds);
  }
  if (left.length === MAX_EMAILS) return { progress: after(work, left.at(-1)?.id, erased), refunds };
  const settled = await listSettledEmails(trx, { erasureId, seconds: settleSeconds, limit: MAX_EMAILS });
  for (const [workspaceId, ids] of byWorkspace(settled)) {
    await eraseReceivedBodies(trx, workspaceId, ids);
    await forgetEmails(trx, erasureId, ids);
  }
  const isDone = !(await hasNotedEmails(trx, erasureId));
  const pauseSeconds = settled.length === MAX_EMAILS ? 0 : WAIT_SECONDS;
  const progress = { step: isDone ? 'done' : 'rest', isInTestMail: false, place: null, pauseSeconds, erased } as const;
  return { progress, refunds };
}

function byWorkspace(emails: readonly NotedEmail[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { id, workspaceId } of emails) groups.set(workspaceId, [...(groups.get(workspaceId) ?? []), id]);
  return groups;
}

function workspaceOf({ liveId, testId, isInTestMail }: ErasureWork): string {
  return isInTestMail && testId !== null ? testId : liveId;
}

function rangeOf(work: ErasureWork, limit: number) {
  const { id: erasureId, address, below, place } = work;
  return { erasureId, workspaceId: workspaceOf(work), address, after: place ?? NIL, below, limit };
}

/** @param place where the step continues; null if it is finished in this workspace */
function after(work: ErasureWork, place: string | null | undefined, erased: number): ErasureProgress {
  const { step, isInTestMail, testId } = work;
  if (place) return { step, isInTestMail, place, pauseSeconds: 0, erased };
  if (!isInTestMail && testId !== null) return { step, isInTestMail: true, place: null, pauseSeconds: 0, erased };
  return { step: NEXT[step], isInTestMail: false, place: null, pauseSeconds: 0, erased };
}

const NEXT: Readonly<Record<ErasureStep, ErasureStep>> = {
  recipients: 'reply_to',
  reply_to: 'responses',
  responses: 'rest',
  rest: 'rest',
  done: 'done',
};
