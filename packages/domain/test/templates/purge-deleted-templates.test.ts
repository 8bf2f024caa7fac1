import { createTemplate, deleteTemplate, purgeDeletedTemplates, updateTemplate } from '@posthorn/domain/templates';
import type { Context } from '@posthorn/platform';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@posthorn/platform/values';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { operator } from '../../src/audit-log/audit-entry.js';
import { storeEmail } from '../retention/store-email.js';

const fields = { name: 'Welcome', subject: 'Hi', htmlBody: '<p>Hi</p>', textBody: 'Hi' };

let ctx: Context;
let workspaceId: string;
let id: string;

beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'it purges the templates of all workspaces' });
  ({ workspaceId } = await createTestWorkspace(ctx));
  ({ id } = await createTemplate(ctx, operator, workspaceId, fields));
  await updateTemplate(ctx, operator, { workspaceId, id }, { textBody: 'Hello' });
});

afterEach(() => closeTestContext(ctx));

const versions = () => ctx.db('template_versions').where({ template_id: id }).orderBy('version').pluck('version');
const remaining = () => ctx.db('templates').where({ id }).pluck('id');
const purge = (laterMs: number) => purgeDeletedTemplates(ctx, new Date(Date.now() + laterMs), 10);

async function storeEmailOf(version: number): Promise<string> {
  const emailId = await storeEmail(ctx, workspaceId);
  await ctx.db('emails').where({ id: emailId }).update({ template_id: id, template_version: version });
  return emailId;
}

test('a deleted template goes with its versions once no email can use it any more', async () => {
  await deleteTemplate(ctx, operator, { workspaceId, id });
  await purge(9 * MINUTE_MS);
  expect(await versions()).toEqual([1, 2]);
  await purge(HOUR_MS);
  expect([await versions(), await remaining()]).toEqual([[], []]);
});

test('a version stays while an email uses it', async () => {
  const emailId = await storeEmailOf(2);
  await deleteTemplate(ctx, operator, { workspaceId, id });
  await purge(HOUR_MS);
  expect([await versions(), await remaining()]).toEqual([[2], [id]]);
  await ctx.db('emails').where({ id: emailId }).delete();
  await purge(2 * HOUR_MS);
  expect(await versions()).toEqual([2]);
  await purge(HOUR_MS + DAY_MS);
  expect([await versions(), await remaining()]).toEqual([[], []]);
});

test('templates that are not deleted are left alone', async () => {
  await purge(365 * DAY_MS);
  expect([await versions(), await remaining()]).toEqual([[1, 2], [id]]);
});
