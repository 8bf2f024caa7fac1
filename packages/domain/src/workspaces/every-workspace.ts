import { NIL } from 'uuid';

/** The workspace of a suppression that an operator has added for all workspaces. */
export const EVERY_WORKSPACE = NIL;
