import type { FailpointName } from './names.js';

/** Does nothing, and V8 removes the call. Every process that is not started for a fault run loads this version. */
export function failpoint(_name: FailpointName): void {}
