import { type AcceptContext, openAcceptContext } from '@posthorn/domain/accepting';
import { operator } from '@posthorn/domain/audit-log';
import { disableWebhook, notifyWebhookOwners, updateWebhook, type Webhook } from '@posthorn/domain/webhooks';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { quoteName } from '../../src/accounts/system-mail.js';
import { addWebhook } from './add-webhook.js';

let ctx: Context;
let accepting: AcceptContext;
let webhook: Webhook;
let workspaceId: string;
const owners: string[] = [];

beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'it notifies the owners of all webhooks' });
  accepting = openAcceptContext(ctx);
  const workspace = await createTestWorkspace(ctx);
  workspaceId = workspace.workspaceId;
  owners.splice(0, owners.length, await addUser('owner'), workspace.email);
  await addUser('member');
  webhook = await addWebhook(ctx, workspaceId);
});

afterEach(async () => {
  await accepting.close();
  await closeTestContext(ctx);
});

/** @returns the address of the user */
async function addUser(role: 'owner' | 'member', verifiedAt: Date | null = new Date()): Promise<string> {
  const id = newId();
  const email = `${id}@example.com`;
  await ctx.db('users').insert({ id, email, password_hash: 'hash', email_verified_at: verifiedAt });
  await ctx.db('memberships').insert({ workspace_id: workspaceId, user_id: id, role });
  return email;
}

/** The recipients of all mails that were accepted, in alphabetical order. */
async function recipients(): Promise<string[]> {
  const mails = await ctx.db('emails').select('to').where({ subject: 'A webhook has been disabled' });
  return mails.flatMap(({ to }) => to).sort();
}

/** As if everything had happened a day earlier. */
const startNextDay = () => ctx.db('notices').update({ day: ctx.db.raw('day - 1') });

const disable = () => disableWebhook(ctx, webhook, 'failing');

const changeStatus = (status: Webhook['status']) =>
  updateWebhook(ctx, operator, { id: workspaceId, liveId: workspaceId }, { id: webhook.id, changes: { status } });

test('each owner gets one mail, even if the process that disabled the webhook has died', async () => {
  await disable();
  expect(await recipients()).toEqual([]);
  await notifyWebhookOwners(accepting);
  await notifyWebhookOwners(accepting);
  expect(await recipients()).toEqual(owners.toSorted());
});

test('the mail names the webhook by its description, or by its id if it has none', async () => {
  await disable();
  await notifyWebhookOwners(accepting);
  await startNextDay();
  await updateWebhook(
    ctx,
    operator,
    { id: workspaceId, liveId: workspaceId },
    { id: webhook.id, changes: { status: 'enabled', description: 'Orders' } },
  );
  await disable();
  await notifyWebhookOwners(accepting);
  const texts = await ctx.db('email_contents').distinct<{ text: string }[]>('text');
  const names = texts.map(({ text }) => /Your webhook (.*) gets no more events/.exec(text)?.[1]);
  expect(names.toSorted()).toEqual([webhook.id, quoteName('Orders')].toSorted());
});

test('processes that mail the owners at the same time accept one mail for each', async () => {
  const other = openAcceptContext(ctx);
  await disable();
  await Promise.all([notifyWebhookOwners(accepting), notifyWebhookOwners(other), notifyWebhookOwners(accepting)]);
  await other.close();
  expect(await recipients()).toEqual(owners.toSorted());
});

test('if one mail cannot be accepted, only that one is tried again', async () => {
  await ctx.db.raw(`
    create function refuse_mail() returns trigger language plpgsql as $$
    begin
      if '${owners[0]}' = any(new."to") then raise exception 'refused'; end if;
      return new;
    end $$;
    create trigger refuse_mail before insert on emails for each row execute function refuse_mail();
  `);
  await disable();
  await notifyWebhookOwners(accepting);
  await notifyWebhookOwners(accepting);
  expect(await recipients()).toEqual([owners[1]]);
  await ctx.db.raw('drop trigger refuse_mail on emails');
  await notifyWebhookOwners(accepting);
  expect(await recipients()).toEqual(owners.toSorted());
});

test('a webhook that is disabled again causes another mail on the next day only', async () => {
  await disable();
  await notifyWebhookOwners(accepting);
  for (const mails of [1, 2]) {
    await changeStatus('enabled');
    await disable();
    await notifyWebhookOwners(accepting);
    expect(await recipients()).toHaveLength(mails * owners.length);
    await startNextDay();
  }
});

test('an owner whose address is not confirmed gets no mail', async () => {
  await addUser('owner', null);
  await disable();
  await notifyWebhookOwners(accepting);
  expect(await recipients()).toEqual(owners.toSorted());
  expect(await ctx.db('webhooks').whereNotNull('owner_notification_id')).toEqual([]);
});

test('there is no mail about a webhook that a user has enabled again or disabled', async () => {
  await disable();
  await changeStatus('enabled');
  await notifyWebhookOwners(accepting);
  await changeStatus('disabled');
  await notifyWebhookOwners(accepting);
  expect(await recipients()).toEqual([]);
});
