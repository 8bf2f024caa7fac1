import { setTimeout as sleep } from 'node:timers/promises';
import { alignEventPositions } from '../database/align-event-positions.js';
import type { Db } from '../database/connect.js';
import { isId } from '../ids.js';
import { SYSTEM_WORKSPACE_ID } from '../workspaces/system-workspace.js';
import { assertCanArrive } from './assert-can-arrive.js';
import { copyTable, type Databases } from './copy-table.js';
import { MoveError } from './move-error.js';
import {
  deleteHeldEmails,
  findPair,
  holdBack,
  keepObjects,
  type MoveState,
  readMoveState,
  releaseEmails,
  releaseWebhooks,
  setMoveState,
  startSchedules,
} from './move-store.js';
import { type MovedTable, readMovedTables } from './moved-tables.js';

/** The steps of a move, in order. It can be stopped after each of them and started again. */
export type MoveStep = 'copied' | 'held back' | 'verified' | 'switched' | 'released';

export type MoveOptions = {
  readonly id: string;
  /** Where the workspace is afterwards, in words for its users. */
  readonly movedTo: string;
  /** How long requests that began before the move may still store something. */
  readonly graceMs: number;
  /** How long to wait for the workers. After that, the workspace stays where it is. */
  readonly drainMs: number;
  readonly onStep?: (step: MoveStep) => void | Promise<void>;
};

/** How many rows were compared last; null if an earlier run of the command did that. */
export type MoveReport = { readonly rows: number | null };

const POLL_MS = 200;
/** Little can change while the workspace is held back, such as when a key was last used. */
const MAX_PASSES = 5;

/**
 * Moves a workspace with its test mail to another database. First everything is copied while the workspace works. Then
 * it is held back: its requests get a 503, and no worker claims its emails. What has changed is copied, and a further
 * pass must find no difference. The source then refuses the workspace for good, and only after that may the target act
 * on it, so at no time can two workers have the same email. The source keeps all rows but those of its queue.
 *
 * If the process ends, run it again: every step can be repeated.
 * @throws MoveError that says why nothing was moved
 */
export async function moveWorkspace(databases: Databases, options: MoveOptions): Promise<MoveReport> {
  const { source, target } = databases;
  const state = await readState(source, options.id);
  const ids = await findPair(source, options.id);
  const step = options.onStep ?? (() => {});
  let rows: number | null = null;
  if (state !== 'moved') {
    await assertCanArrive(databases, ids);
    await prepareEventLog(databases);
    const tables = await readMovedTables(source);
    await copyAll(databases, tables, ids);
    await step('copied');
    await holdBackUntilIdle(source, ids, options);
    await step('held back');
    rows = await copyUntilEqual(databases, tables, ids);
    await step('verified');
    await source.transaction(async (trx) => {
      await keepObjects(trx, ids);
      await setMoveState(trx, ids, 'moved', options.movedTo);
    });
  }
  await step('switched');
  await activateInTarget(target, ids);
  await step('released');
  await deleteHeldEmails(source, ids);
  return { rows };
}

/** Lets a workspace continue that a move has held back. @throws MoveError if it has moved, or was not moving */
export async function cancelMove(source: Db, id: string): Promise<void> {
  if ((await readState(source, id)) !== 'leaving') throw new MoveError('This workspace is not being moved.');
  const ids = await findPair(source, id);
  await letContinue(source, ids);
}

async function readState(source: Db, id: string): Promise<MoveState | null> {
  const state = isId(id) && id !== SYSTEM_WORKSPACE_ID ? await readMoveState(source, id) : undefined;
  if (state === undefined) throw new MoveError('No workspace with this ID can be moved.');
  if (state === 'arriving') throw new MoveError('This workspace is being moved here. Finish that move first.');
  return state;
}

/** Holds the workspace back until nothing is in progress, or lets it continue if that takes too long or fails. */
async function holdBackUntilIdle(source: Db, ids: readonly string[], options: MoveOptions): Promise<void> {
  await setMoveState(source, ids, 'leaving', null);
  try {
    await sleep(options.graceMs);
    await drain(source, ids, options);
  } catch (error) {
    await letContinue(source, ids);
    throw error;
  }
}

async function drain(source: Db, ids: readonly string[], { drainMs }: MoveOptions): Promise<void> {
  const deadline = Date.now() + drainMs;
  for (;;) {
    const { emails, webhooks, uncounted } = await holdBack(source, ids);
    if (emails === 0 && webhooks === 0 && !uncounted) return;
    if (Date.now() >= deadline)
      throw new MoveError(
        `Workers still had ${emails} emails and ${webhooks} webhooks in hand${uncounted ? ', and had not counted all events' : ''} after ${drainMs / 1_000} seconds. The workspace continues here. Check that a worker with the roles deliver and webhooks runs, then try again.`,
      );
    await sleep(POLL_MS);
  }
}

async function letContinue(source: Db, ids: readonly string[]): Promise<void> {
  await releaseEmails(source, ids);
  await source.transaction(async (trx) => {
    await releaseWebhooks(trx, ids);
    await setMoveState(trx, ids, null, null);
  });
}

/** The source has refused the workspace before this, so emails may be sent as soon as they are released. */
async function activateInTarget(target: Db, ids: readonly string[]): Promise<void> {
  const arriving = await target('workspaces').whereIn('id', ids).where({ move_state: 'arriving' }).pluck('id');
  if (arriving.length === 0) return;
  await releaseEmails(target, ids);
  await target.transaction(async (trx) => {
    await releaseWebhooks(trx, ids);
    await startSchedules(trx, ids);
    await setMoveState(trx, ids, null, null);
  });
}

/** @returns how many rows there are, and the tables that differed */
async function copyAll(
  databases: Databases,
  tables: readonly MovedTable[],
  ids: readonly string[],
): Promise<{ rows: number; different: string[] }> {
  let total = 0;
  const different: string[] = [];
  for (const table of tables) {
    const { rows, changed } = await copyTable(databases, table, ids);
    total += rows;
    if (changed > 0) different.push(table.name);
  }
  return { rows: total, different };
}

/**
 * Repeats until a pass finds no difference, which also verifies what the passes before have written.
 * @returns how many rows there are
 */
async function copyUntilEqual(
  databases: Databases,
  tables: readonly MovedTable[],
  ids: readonly string[],
): Promise<number> {
  let last: string[] = [];
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const { rows, different } = await copyAll(databases, tables, ids);
    if (different.length === 0) return rows;
    last = different;
  }
  throw new MoveError(
    `These tables still differ after ${MAX_PASSES} passes: ${last.join(', ')}. Nothing is lost: run the command again, or let the workspace continue with --cancel.`,
  );
}

/**
 * The positions of a workspace's events must stay the same, because its clients have cursors. So the target's own log
 * must be ahead of the source's, or its workers would take the copied events for new ones. An empty target is set
 * ahead.
 */
async function prepareEventLog({ source, target }: Databases): Promise<void> {
  const { rows } = await source.raw('select event_horizon() as horizon');
  const { horizon } = rows[0] as { horizon: number };
  await target.transaction(async (trx) => {
    const { rows: found } = await trx.raw(
      `select exists (select from events) as "hasEvents",
         least((select position from webhook_cursor), (select position from sending_stats_cursor)) as cursor`,
    );
    const { hasEvents, cursor } = found[0] as { hasEvents: boolean; cursor: number };
    if (cursor > horizon) return;
    if (hasEvents)
      throw new MoveError(
        'The event log of the target is behind that of the source, so cursors of its clients would become wrong. Move workspaces only to a database that was empty when the first one arrived.',
      );
    const ahead = horizon + CURSOR_HEADROOM;
    await trx('webhook_cursor').update({ position: ahead });
    await trx('sending_stats_cursor').update({ position: ahead });
    await alignEventPositions(trx);
  });
}

/** More than the number of transactions that the source can have while the two databases exist side by side. */
const CURSOR_HEADROOM = 1_000_000_000_000;
