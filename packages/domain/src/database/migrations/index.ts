import { schema } from './0001-schema.js';
import type { Migration } from './migration.js';

/** Listed by hand, in the order in which they are applied. */
export const migrations: readonly Migration[] = [schema];
