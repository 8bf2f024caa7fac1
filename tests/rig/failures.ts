import { formatCountOf } from '@posthorn/platform/values';
import { TimeLimitError } from '@posthorn/testing';

/**
 * A broken promise is a defect of the product, such as lost mail, an unmarked second copy, an exceeded cap or a wrong
 * state. A missed time limit only means that something happened too late, which can also be due to a busy machine.
 */
export type FailureKind = 'broken promise' | 'missed time limit';

export type Failure = { readonly kind: FailureKind; readonly sentence: string };

/** What the summary needs to know about a scenario. */
export type FailedScenario = { readonly id: string; readonly failures: readonly Failure[] };

export const EXIT_CODES = { held: 0, brokenPromise: 1, missedTimeLimit: 3 } as const;

/** @returns a broken promise with this sentence if the expectation does not hold */
export function expectThat(holds: boolean, sentence: string): Failure[] {
  return holds ? [] : [{ kind: 'broken promise', sentence }];
}

/** @returns a missed time limit with this sentence if the expectation does not hold */
export function expectInTime(holds: boolean, sentence: string): Failure[] {
  return holds ? [] : [{ kind: 'missed time limit', sentence }];
}

/** Classifies what a scenario threw: every error except a `TimeLimitError` counts as a broken promise. */
export function toFailure(error: unknown): Failure {
  if (error instanceof TimeLimitError) return { kind: 'missed time limit', sentence: error.message };
  return { kind: 'broken promise', sentence: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

/**
 * Waits a second time if the first wait missed its limit, to tell a late email from a stuck one.
 * @returns a missed time limit if the second wait succeeded; a broken promise if it did not
 */
export async function listWaitFailures(wait: () => Promise<void>): Promise<Failure[]> {
  const late = await findFailure(wait);
  if (!late) return [];
  const stuck = await findFailure(wait);
  return stuck ? [{ kind: 'broken promise', sentence: `${stuck.sentence}, twice in a row` }] : [late];
}

async function findFailure(wait: () => Promise<void>): Promise<Failure | null> {
  return wait().then(() => null, toFailure);
}

/** @returns null if the scenario held; a broken promise outweighs any number of missed time limits */
export function findFailureKind({ failures }: Pick<FailedScenario, 'failures'>): FailureKind | null {
  if (failures.some(({ kind }) => kind === 'broken promise')) return 'broken promise';
  return failures.length > 0 ? 'missed time limit' : null;
}

/** A run without any scenario proves nothing, so it fails too. */
export function toExitCode(results: readonly FailedScenario[]): number {
  const kinds = results.map(findFailureKind);
  if (results.length === 0 || kinds.includes('broken promise')) return EXIT_CODES.brokenPromise;
  return kinds.includes('missed time limit') ? EXIT_CODES.missedTimeLimit : EXIT_CODES.held;
}

/** The last lines of a run. The ids after `broken promise:` and `missed time limit:` can be pasted after `--only`. */
export function summaryLines(results: readonly FailedScenario[]): string[] {
  const listIds = (wanted: FailureKind | null) =>
    results.filter((result) => findFailureKind(result) === wanted).map(({ id }) => id);
  const [held, broken, late] = [listIds(null), listIds('broken promise'), listIds('missed time limit')];
  return [
    `${formatCountOf(held.length, 'scenario')} held, ${broken.length} broke a promise, ${late.length} missed a time limit`,
    ...(broken.length > 0 ? [`broken promise: ${broken.join(', ')}`] : []),
    ...(late.length > 0 ? [`missed time limit: ${late.join(', ')}`] : []),
  ];
}

/** @param given ids as a user types or pastes them, separated by commas or spaces */
export function parseIds(given: readonly string[]): string[] {
  return given.flatMap((part) => part.split(/[,\s]+/)).filter((id) => id !== '');
}
