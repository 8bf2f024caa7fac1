import type { Migration } from '@posthorn/platform/postgres';
import { schema } from './0001-schema.js';

/** Listed by hand, in the order in which they are applied. */
export const migrations: readonly Migration[] = [schema];
