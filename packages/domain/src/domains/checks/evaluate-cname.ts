import { type RateEvaluation, verified, wrong } from '../domain/finding.js';

/** A name has at most one CNAME record (RFC 1034, 3.6.2). */
export function evaluateCname(expected: string, values: readonly string[]): RateEvaluation {
  const isOurs = values.some((host) => host.toLowerCase().replace(/\.$/, '') === expected);
  return isOurs ? verified : wrong(`It points to a different host. Change it to ${expected}.`);
}
