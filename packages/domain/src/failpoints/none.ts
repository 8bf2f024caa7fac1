import type { FailpointName } from './names.js';

/** Does nothing, and V8 removes the call. Every process uses this one unless it was started for a fault run. */
export function failpoint(_name: FailpointName): void {}
