import type { FailpointName } from './names.js';

/** Nothing, which the compiler of the engine takes out: what every process gets but those of a fault run. */
export function failpoint(_name: FailpointName): void {}
