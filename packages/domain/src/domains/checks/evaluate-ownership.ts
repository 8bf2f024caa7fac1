import { type RateEvaluation, verified, wrong } from '../domain/finding.js';

/**
 * One of the values must be ours. The others may prove ownership of the domain to other workspaces or services. Only we
 * read this record, so case, quotes and white space do not matter.
 */
export function evaluateOwnership(expected: string, values: readonly string[]): RateEvaluation {
  const isFound = values.some((value) => normalized(value) === normalized(expected));
  return isFound
    ? verified
    : wrong(`None of the values at this name is correct. Add a record with the value ${expected}.`);
}

function normalized(text: string): string {
  return text.replaceAll(/[\s"]/g, '').toLowerCase();
}
