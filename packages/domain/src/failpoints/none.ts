import type { FailpointName } from './names.js';

/** Nothing, which the compiler of the engine takes out: what every process gets that is not started for a fault run. */
export function failpoint(_name: FailpointName): void {}
