import type { Operator } from './operator.js';
import type { Result } from './print.js';

/** Connects, does the work and prints what it returns. */
export type Run = (work: (operator: Operator) => Promise<Result>) => Promise<void>;
