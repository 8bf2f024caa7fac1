import { countNeedingNewerWorker, type QueuePause, readQueuePauses } from '@posthorn/domain/delivery';
import { checkDkimKeys } from '@posthorn/domain/doctor';
import { countWaiting } from '@posthorn/domain/emails';
import type { CliContext } from '../command-line/context.js';
import { type Check, type CheckOutcome, checkFacts, failed, ok, skipped } from './check.js';

/** Mail that no worker sends, although nothing is broken. */
export function buildQueueChecks({ db }: Pick<CliContext, 'db'>): Check[] {
  const ifReadable = <Found>(name: string, facts: Promise<Found>, evaluate: (found: Found) => CheckOutcome) =>
    checkFacts(`queue ${name}`, facts, { evaluate, unreadable: 'Postgres cannot be read' });
  return [
    ifReadable('parked', countWaiting(db), ({ parked }) => evaluateParked(parked)),
    ifReadable('pauses', readQueuePauses(db), evaluatePauses),
    ifReadable('versions', countNeedingNewerWorker(db), evaluateNeedingNewerWorker),
  ];
}

export function evaluateParked(emails: number): CheckOutcome {
  if (emails === 0) return ok('No email is parked');
  return failed(
    `${emails} emails have been parked since a restore, so no worker sends them. Counting stops at 10,000`,
    'Cancel those that have probably been sent with posthorn queue cancel --before, then run posthorn restore release.',
  );
}

/** A pause of a workspace may be meant to last. */
export function evaluatePauses(pauses: readonly QueuePause[]): CheckOutcome {
  const ofService = pauses.find(({ workspaceId }) => workspaceId === null);
  if (ofService)
    return failed(`All sending has been paused since ${ofService.since.toISOString()}`, 'Run posthorn queue resume.');
  return ok(pauses.length === 0 ? 'Nothing is paused' : `Sending is paused for ${pauses.length} workspaces`);
}

export function evaluateNeedingNewerWorker(emails: number): CheckOutcome {
  if (emails === 0) return ok('This version can deliver what is waiting');
  return failed(
    `${emails} emails need a newer worker than this version, so workers of this version leave them`,
    'Upgrade the workers to the version of the API.',
  );
}

export function buildSecretChecks(ctx: CliContext): Check[] {
  return [{ name: 'SECRET_KEY', run: () => checkSecretKey(ctx) }];
}

async function checkSecretKey(ctx: CliContext): Promise<CheckOutcome> {
  if (ctx.config.secretKey === null) return skipped('SECRET_KEY is not set');
  const found = await checkDkimKeys(ctx).catch(() => null);
  if (found === null) return skipped('Postgres cannot be read');
  const { tried, unreadable } = found;
  if (unreadable === 0) return ok(`It opens all ${tried} stored DKIM keys that were tried`);
  return failed(
    `It does not open ${unreadable} of ${tried} stored DKIM keys, so mail from those domains waits`,
    'Set SECRET_KEY to the value that they were stored with, or add that value to SECRET_KEY_PREVIOUS.',
  );
}
