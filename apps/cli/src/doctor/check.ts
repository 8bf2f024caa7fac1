import { setTimeout as sleep } from 'node:timers/promises';
import { describeError } from '../command-line/errors.js';

/** A check that takes longer has failed. */
const DEADLINE_MS = 10_000;

/** What a check found. `fix` says what to do about it. */
export type CheckOutcome =
  | { readonly status: 'ok'; readonly detail: string }
  | { readonly status: 'warning' | 'failed'; readonly detail: string; readonly fix: string }
  | { readonly status: 'skipped'; readonly detail: string };

export type Check = { readonly name: string; run(): Promise<CheckOutcome> };

export const ok = (detail: string): CheckOutcome => ({ status: 'ok', detail });
/** Something that an operator should look at, although mail goes out. It does not change the exit code. */
export const warning = (detail: string, fix: string): CheckOutcome => ({ status: 'warning', detail, fix });
export const failed = (detail: string, fix: string): CheckOutcome => ({ status: 'failed', detail, fix });
export const skipped = (why: string): CheckOutcome => ({ status: 'skipped', detail: why });

/** A check of facts that several checks share. It is skipped if they could not be read. */
export function checkFacts<Facts>(
  name: string,
  facts: Promise<Facts>,
  { evaluate, unreadable }: { evaluate(found: Facts): CheckOutcome | Promise<CheckOutcome>; unreadable: string },
): Check {
  facts.catch(() => {});
  return { name, run: async () => facts.then(evaluate, () => skipped(unreadable)) };
}

export type CheckResult = {
  readonly name: string;
  readonly status: CheckOutcome['status'];
  readonly detail: string;
  readonly fix: string | null;
};

/** Runs all checks at the same time. @returns their results, in the same order */
export function runChecks(checks: readonly Check[], deadlineMs = DEADLINE_MS): Promise<CheckResult[]> {
  return Promise.all(
    checks.map(async ({ name, run }) => {
      const outcome = await Promise.race([run().catch(toOutcome), tooLate(deadlineMs)]);
      const { status, detail } = outcome;
      return { name, status, detail, fix: 'fix' in outcome ? outcome.fix : null };
    }),
  );
}

async function tooLate(deadlineMs: number): Promise<CheckOutcome> {
  await sleep(deadlineMs, undefined, { ref: false });
  return failed(
    `No result within ${deadlineMs / 1_000} seconds`,
    'Check the network between this machine and the server.',
  );
}

function toOutcome(error: unknown): CheckOutcome {
  const { code, message } = describeError(error);
  return code === 'not_migrated'
    ? failed('The database has not been migrated', 'Run: posthorn db migrate')
    : failed(message, 'Look at the error.');
}
