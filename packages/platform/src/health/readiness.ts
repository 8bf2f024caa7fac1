import type { Health } from './check-health.js';

/** What a process says about itself. `status` is 200 if it is ready, otherwise 503. */
export type Readiness = { readonly status: 200 | 503; readonly body: object };

/** @property facts what it shows about itself and its servers */
export type Assessment = { readonly isReady: boolean; readonly facts: object };

/** Whether a process is ready while its servers are in this state. */
export type Assess = (health: Health) => Assessment;

/** A process that stops is not ready, but still shows its state. */
export function toReadiness({ isReady, facts }: Assessment, isStopping: boolean): Readiness {
  if (isStopping) return { status: 503, body: { status: 'stopping', ...facts } };
  return isReady
    ? { status: 200, body: { status: 'ready', ...facts } }
    : { status: 503, body: { status: 'unavailable', ...facts } };
}
