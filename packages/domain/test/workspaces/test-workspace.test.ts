import { createKey } from '@posthorn/domain/api-keys';
import { deleteOldRows } from '@posthorn/domain/retention';
import { createTemplate, updateTemplate } from '@posthorn/domain/templates';
import { findWorkspace, listWorkspaces } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { MINUTE_MS, toFirstId } from '@posthorn/platform/values';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { operator } from '../../src/audit-log/audit-entry.js';
import { daysAhead, idAt, idsIn, idsInEach, inAllTables, storeEmail } from '../retention/store-email.js';

let ctx: Context;
let now: Date;
let workspaceId: string;

beforeEach(async () => {
  now = new Date();
  ctx = await openTestContext({
    ownDatabase: 'it lists all workspaces, and deletes old rows of all of them',
    now: () => now,
  });
  workspaceId = (await createTestWorkspace(ctx)).workspaceId;
});

afterEach(() => closeTestContext(ctx));

const createTestKey = () =>
  createKey(ctx, operator, workspaceId, { name: 'Test', scopes: ['emails:send'], mode: 'test', expiresAt: null });

/** @returns the id of the workspace for test mail */
async function openTestMode(): Promise<string> {
  await createTestKey();
  return (await findWorkspace(ctx.db, workspaceId, 60))?.testId ?? '';
}

test('the first test keys create one workspace for test mail, which no list shows', async () => {
  expect(await findWorkspace(ctx.db, workspaceId, 60)).toMatchObject({ liveId: workspaceId, testId: null });
  await Promise.all([createTestKey(), createTestKey(), createTestKey()]);
  const tests: string[] = await ctx.db('workspaces').where({ test_of: workspaceId }).pluck('id');
  expect(tests).toHaveLength(1);
  expect(await findWorkspace(ctx.db, workspaceId, 60)).toMatchObject({ liveId: workspaceId, testId: tests[0] });
  expect(await findWorkspace(ctx.db, tests[0] ?? '', 60)).toBeNull();
  expect((await listWorkspaces(ctx.db, 60)).map(({ id }) => id)).toEqual([workspaceId]);
});

test('test mail is kept for as long as the live mail of the workspace', async () => {
  const testId = await openTestMode();
  const ids = [];
  for (const days of [-8, -6]) ids.push(await storeEmail(ctx, testId, idAt(daysAhead(days))));
  await ctx.db('workspaces').where({ id: workspaceId }).update({ content_retention_days: 7 });
  await deleteOldRows(ctx, new Date(), () => true);
  expect(await idsInEach(ctx)).toEqual({ ...inAllTables(ids), email_contents: [ids[1]] });
});

test('test mail is deleted with the workspace', async () => {
  const testId = await openTestMode();
  await storeEmail(ctx, testId);
  await ctx.db('workspaces').where({ id: workspaceId }).delete();
  expect(await ctx.db('workspaces').where({ id: testId })).toEqual([]);
  expect(await idsIn(ctx, 'emails')).toEqual([]);
  expect(await idsIn(ctx, 'email_contents')).toEqual([]);
});

test('an old version of a template is kept while test mail uses it', async () => {
  const testId = await openTestMode();
  const startMs = now.getTime();
  const fields = { name: 'Welcome', subject: 'Hi', htmlBody: '<p>Hi</p>', textBody: 'Hi' };
  const { id } = await createTemplate(ctx, operator, workspaceId, fields);
  const emailId = toFirstId(startMs + 1_000);
  await storeEmail(ctx, testId, emailId);
  await ctx.db('emails').where({ id: emailId }).update({ template_id: id, template_version: 1 });
  for (let version = 2; version <= 103; version += 1) {
    now = new Date(startMs + version * MINUTE_MS);
    await updateTemplate(ctx, operator, { workspaceId, id }, { textBody: `Version ${version}` });
  }
  const versions: number[] = await ctx
    .db('template_versions')
    .where({ template_id: id })
    .orderBy('version')
    .pluck('version');
  expect(versions.slice(0, 3)).toEqual([1, 4, 5]);
});
