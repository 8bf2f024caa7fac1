import { type Evaluation, verified, wrong } from '../domain/finding.js';

/**
 * Of several values one must be ours: others prove the domain to others. Nobody else reads it, so letter
 * case, quotes and white space are forgiven.
 */
export function evaluateOwnership(wanted: string, values: readonly string[]): Evaluation {
  const isOurs = values.some((value) => bare(value) === bare(wanted));
  return isOurs ? verified : wrong(`There is another value; add one that is ${wanted}.`);
}

function bare(text: string): string {
  return text.replaceAll(/[\s"]/g, '').toLowerCase();
}
