import { setTimeout as sleep } from 'node:timers/promises';
import { migrateDatabase } from '@posthorn/domain/schema';
import type { Context } from '@posthorn/platform';
import { connectDatabase, type Db, isUnavailable } from '@posthorn/platform/postgres';
import { closeTestContext, openTestContext, until } from '@posthorn/testing';
import type { CommitOutcome, CommitRequest } from '../../src/accepting/commit-request.js';
import { isCommitted } from '../../src/accepting/commit-transaction.js';
import { type CommitEmails, createGroupCommit } from '../../src/accepting/group-commit.js';
import { type DeliveryJobs, openDeliveryJobs } from '../../src/delivery/delivery-jobs.js';
import type { Workspace } from '../../src/workspaces/workspace.js';
import { type OwnPostgres, openPostgres } from '../open-postgres.js';
import { buildCommitRequest, openWorkspace, storedFor } from './commit-requests.js';

/** Shorter than in production, to keep the tests fast. */
const SILENCE_MS = 1_000;

let postgres: OwnPostgres;
let ctx: Context;
let db: Db;
let deliveryJobs: DeliveryJobs;
let workspace: Workspace;
let write: CommitEmails;

beforeAll(async () => {
  postgres = await openPostgres();
  await migrateDatabase(postgres.url);
  ctx = await openTestContext({ config: { databaseUrl: postgres.url } });
  await ctx.incarnation.read();
  deliveryJobs = openDeliveryJobs(ctx);
});

beforeEach(async () => {
  workspace = await openWorkspace(ctx);
  db = connectDatabase(postgres.url, { silenceMs: SILENCE_MS });
  write = createGroupCommit({ ...ctx, db }, deliveryJobs);
});

afterEach(async () => {
  await standbyIsBack();
  await db.destroy();
});

afterAll(async () => {
  await deliveryJobs.close();
  await closeTestContext(ctx);
  await postgres.close();
});

const loseStandby = () => postgres.set('synchronous_standby_names', 'lost');

/** If no standby is named, Postgres waits for none, and the commits that were waiting succeed. */
async function standbyIsBack(): Promise<void> {
  await postgres.set('synchronous_standby_names', '');
  while ((await postgres.stuckCommits()).length > 0) await sleep(10);
}

/** @returns whether the write failed because Postgres is unavailable */
async function isRefused(writing: Promise<unknown>): Promise<boolean> {
  return writing.then(() => false, isUnavailable);
}

/**
 * Repeats a request until Postgres is available. After a refusal, the pool waits a moment before it asks the server
 * again.
 */
async function untilAnswered(request: CommitRequest): Promise<CommitOutcome> {
  for (;;) {
    const outcome = await write(request).catch((error) => (isUnavailable(error) ? null : Promise.reject(error)));
    if (outcome) return outcome;
    await sleep(50);
  }
}

/** Stores a request on the primary only, by canceling its wait for the standby. @returns whether it was refused */
async function storeOnPrimaryOnly(request: CommitRequest): Promise<boolean> {
  const waitingDb = connectDatabase(postgres.url);
  const writing = isRefused(createGroupCommit({ ...ctx, db: waitingDb }, deliveryJobs)(request));
  while ((await postgres.stuckCommits()).length === 0) await sleep(10);
  const [pid] = await postgres.stuckCommits();
  await postgres.query(`select pg_cancel_backend(${pid})`);
  const result = await writing;
  await waitingDb.destroy();
  return result;
}

describe('an email whose commit waits for a lost standby', () => {
  test('is not accepted, but is stored once the standby is back, and a retry gets its response', async () => {
    const request = buildCommitRequest(workspace, { key: 'a' });
    await loseStandby();
    expect(await isRefused(write(request))).toBe(true);
    expect(await isRefused(write(buildCommitRequest(workspace, { key: 'a' })))).toBe(true);
    await standbyIsBack();
    const retry = await untilAnswered(buildCommitRequest(workspace, { key: 'a' }));
    expect(retry.storedResponse).toBe(request.response);
    expect(await storedFor(ctx, workspace)).toMatchObject({ emails: 1, used: { '2026-11': 1 } });
  });

  test('is not accepted if someone cancels the wait, even though Postgres reports success', async () => {
    const request = buildCommitRequest(workspace);
    await loseStandby();
    expect(await storeOnPrimaryOnly(request)).toBe(true);
    expect(await storedFor(ctx, workspace)).toMatchObject({ emails: 1 });
  });

  test('does not count as committed while only the primary has it', async () => {
    const request = buildCommitRequest(workspace);
    await loseStandby();
    await storeOnPrimaryOnly(request);
    expect(await isRefused(isCommitted(db, [request]))).toBe(true);
    await standbyIsBack();
    expect(await isCommitted(ctx.db, [request])).toBe(true);
  });

  test('is not returned again while only the primary has it', async () => {
    const request = buildCommitRequest(workspace, { key: 'a' });
    await loseStandby();
    await storeOnPrimaryOnly(request);
    expect(await isRefused(write(buildCommitRequest(workspace, { key: 'a' })))).toBe(true);
    await standbyIsBack();
    const retry = await untilAnswered(buildCommitRequest(workspace, { key: 'a' }));
    expect(retry.storedResponse).toBe(request.response);
  });

  test('occupies only one connection, however many emails come after it', async () => {
    const others = await Promise.all(Array.from({ length: 5 }, () => openWorkspace(ctx)));
    await loseStandby();
    expect(await isRefused(write(buildCommitRequest(workspace)))).toBe(true);
    for (const other of others) expect(await isRefused(write(buildCommitRequest(other)))).toBe(true);
    expect(await postgres.stuckCommits()).toHaveLength(1);
    await standbyIsBack();
    await untilAnswered(buildCommitRequest(workspace));
  });

  test('is noticed by another process that waits for the same locks', async () => {
    const [own, other] = [buildCommitRequest(workspace), buildCommitRequest(await openWorkspace(ctx))];
    await write(buildCommitRequest(workspace));
    await loseStandby();
    const dbOfAnotherProcess = connectDatabase(postgres.url, { silenceMs: 0 });
    const writing = createGroupCommit({ ...ctx, db: dbOfAnotherProcess }, deliveryJobs)(buildCommitRequest(workspace));
    await until(async () => (await postgres.stuckCommits()).length > 0);
    expect(await isRefused(write(own))).toBe(true);
    // This process has given up its connections and opens no new ones, so this commit cannot get stuck too.
    expect(await isRefused(write(other))).toBe(true);
    expect(await postgres.stuckCommits()).toHaveLength(1);
    await standbyIsBack();
    await writing;
    await dbOfAnotherProcess.destroy();
  });
});
