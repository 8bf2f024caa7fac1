import { type AcceptContext, openAcceptContext } from '@posthorn/domain/accepting';
import { operator } from '@posthorn/domain/audit-log';
import {
  deleteOldStats,
  notifyWorkspaceOwners,
  pauseWorkspace,
  reportDeliverability,
  resumeOwnWorkspace,
  resumeWorkspace,
  warnOrPauseWorkspaces,
} from '@posthorn/domain/deliverability';
import { createDomain } from '@posthorn/domain/domains';
import { findWorkspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { closeTestContext, createTestWorkspace, openTestContext, type TestWorkspace } from '@posthorn/testing';
import { SYSTEM_WORKSPACE_ID } from '../../src/workspaces/workspace.js';
import { countAll, storeEmailWith, storeStats } from './reputation-fixtures.js';

let ctx: Context;
let accepting: AcceptContext;
let workspace: TestWorkspace;

beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'it warns or pauses all workspaces' });
  accepting = openAcceptContext(ctx);
  workspace = await createTestWorkspace(ctx);
});

afterEach(async () => {
  await accepting.close();
  await closeTestContext(ctx);
});

const store = (counts: Parameters<typeof storeStats>[2], hoursAgo?: number) =>
  storeStats(ctx, workspace.workspaceId, counts, hoursAgo);

async function pauseReason(id = workspace.workspaceId): Promise<string | null> {
  const found = await findWorkspace(ctx.db, id, 60);
  return found?.pause?.reason ?? null;
}

async function status(): Promise<string> {
  const found = await findWorkspace(ctx.db, workspace.workspaceId, 60);
  if (!found) throw new Error('The workspace was not found');
  return (await reportDeliverability(ctx, found)).status;
}

/** What the owner was mailed, oldest first. */
async function mails(): Promise<string[]> {
  await notifyWorkspaceOwners(accepting);
  return ctx
    .db('emails')
    .where({ workspace_id: SYSTEM_WORKSPACE_ID })
    .whereRaw('"to" = ?', [[workspace.email]])
    .orderBy('id')
    .pluck('subject');
}

const WARNED = 'Too many of your emails bounce or are marked as spam';
const PAUSED = 'Sending is paused';

test.each([
  ['99 recipients, whatever happened to them', { sent: 99, bounced: 99, complained: 99 }, 'ok'],
  ['1.9% bounces', { sent: 1_000, bounced: 19 }, 'ok'],
  ['2% bounces', { sent: 1_000, bounced: 20 }, 'warning'],
  ['4.9% bounces', { sent: 1_000, bounced: 49 }, 'warning'],
  ['5% bounces', { sent: 1_000, bounced: 50 }, 'paused'],
  ['one complaint', { sent: 100, complained: 1 }, 'ok'],
  ['0.1% complaints', { sent: 2_000, complained: 2 }, 'warning'],
  ['0.3% complaints', { sent: 1_000, complained: 3 }, 'paused'],
])('%s', async (_, counts, expected) => {
  await store(counts);
  await warnOrPauseWorkspaces(ctx);
  expect(await status()).toBe(expected);
  expect(await mails()).toEqual({ ok: [], warning: [WARNED], paused: [PAUSED] }[expected]);
});

test('the owners get one mail per crossing, however many processes compare the rates', async () => {
  await store({ sent: 1_000, bounced: 30 });
  await Promise.all([warnOrPauseWorkspaces(ctx), warnOrPauseWorkspaces(ctx), warnOrPauseWorkspaces(ctx)]);
  await warnOrPauseWorkspaces(ctx);
  const other = openAcceptContext(ctx);
  await Promise.all([notifyWorkspaceOwners(accepting), notifyWorkspaceOwners(other)]);
  await other.close();
  expect(await mails()).toEqual([WARNED]);
  await store({ sent: 0, bounced: 40 }, 2);
  await Promise.all([warnOrPauseWorkspaces(ctx), warnOrPauseWorkspaces(ctx)]);
  await warnOrPauseWorkspaces(ctx);
  expect(await mails()).toEqual([WARNED, PAUSED]);
  expect(await ctx.db('audit_log').where({ action: 'workspace.paused' })).toMatchObject([
    { workspace_id: workspace.workspaceId, actor_type: 'system' },
  ]);
});

test('a rate that crosses the limit again is mailed about at most once a day', async () => {
  await store({ sent: 1_000, bounced: 30 });
  await warnOrPauseWorkspaces(ctx);
  await store({ sent: 9_000 }, 2);
  await warnOrPauseWorkspaces(ctx);
  expect(await status()).toBe('ok');
  await store({ sent: 0, bounced: 300 }, 3);
  await warnOrPauseWorkspaces(ctx);
  expect(await mails()).toEqual([WARNED]);
  await ctx.db('reputations').update({ is_warned: false });
  await ctx.db('notices').update({ day: ctx.db.raw('day - 1') });
  await store({ sent: 0 }, 4);
  await warnOrPauseWorkspaces(ctx);
  expect(await mails()).toEqual([WARNED, WARNED]);
});

test('only the last 7 days count, and other workspaces are not affected', async () => {
  const other = await createTestWorkspace(ctx);
  await storeStats(ctx, other.workspaceId, { sent: 1_000, bounced: 500 });
  await store({ sent: 1_000, bounced: 500 }, 7 * 24);
  await store({ sent: 1_000 }, 7 * 24 - 2);
  await warnOrPauseWorkspaces(ctx);
  expect(await pauseReason()).toBeNull();
  expect(await pauseReason(other.workspaceId)).toBe(
    'In the last 7 days, emails bounced for 500 of 1,000 recipients (50%); the limit is 5%.',
  );
});

test('after an operator has resumed a workspace, only later hours can pause it again', async () => {
  await store({ sent: 1_000, bounced: 500 }, 1);
  await warnOrPauseWorkspaces(ctx);
  expect(await status()).toBe('paused');
  await resumeWorkspace(ctx, workspace.workspaceId);
  await store({ sent: 10, bounced: 10 }, 0);
  await warnOrPauseWorkspaces(ctx);
  expect(await status()).toBe('ok');
  await ctx.db('workspaces').update({ resumed_at: new Date(Date.now() - 4 * 3_600_000) });
  await store({ sent: 0, bounced: 0 }, 2);
  await warnOrPauseWorkspaces(ctx);
  expect(await status()).toBe('paused');
  expect(await pauseReason()).toBe(
    'Since sending was resumed, emails bounced for 510 of 1,010 recipients (50.495%); the limit is 5%.',
  );
});

test('one sending domain is enough for a warning, but does not pause the workspace', async () => {
  const { id: domainId } = await createDomain(ctx, operator, workspace.workspaceId, 'acme.example');
  await store({ sent: 99_000 });
  await store({ sent: 1_000, bounced: 100, domainId });
  await warnOrPauseWorkspaces(ctx);
  expect(await status()).toBe('warning');
  expect(await mails()).toEqual([WARNED]);
  const [mail] = await ctx.db('email_contents').select('text');
  expect(mail.text).toContain(
    'In the last 7 days, emails from acme.example bounced for 100 of 1,000 recipients (10%); the limit is 2%.',
  );
});

/** Sends to 200 recipients, of which so many bounce at each of these domains. */
async function bounceAt(domains: Readonly<Record<string, number>>): Promise<void> {
  const bounced = Object.entries(domains).flatMap(([domain, count]) =>
    Array.from({ length: count }, (_, n) => `gone-${n}@${domain}`),
  );
  const fine = Array.from({ length: 200 - bounced.length }, (_, n) => ({
    address: `reader-${n}@example.com`,
    events: ['sent'],
  }));
  const gone = bounced.map((address) => ({ address, events: ['bounced'], bounceClass: 'bad_mailbox' }));
  await storeEmailWith(ctx, workspace.workspaceId, [...gone, ...fine]);
  await countAll(ctx);
  await warnOrPauseWorkspaces(ctx);
}

test.each([
  ['10 bounces at one domain', { 'evil.example': 10 }, 'warning'],
  ['10 bounces at hosts of one domain', { 'a.evil.example': 4, 'b.evil.example': 3, 'evil.example': 3 }, 'warning'],
  ['10 bounces at four domains', { 'a.example': 3, 'b.example': 3, 'c.example': 2, 'd.example': 2 }, 'warning'],
  [
    '10 bounces at names that a company gives away',
    { 'a.dyndns.org': 2, 'b.dyndns.org': 2, 'c.dyndns.org': 2, 'd.dyndns.org': 2, 'e.dyndns.org': 2 },
    'warning',
  ],
  [
    '10 bounces, 6 of them at one domain',
    { 'evil.example': 6, 'b.example': 1, 'c.example': 1, 'd.example': 1, 'e.example': 1 },
    'warning',
  ],
  [
    '10 bounces at five domains',
    { 'a.example': 2, 'b.example': 2, 'c.example': 2, 'd.example': 2, 'e.example': 2 },
    'paused',
  ],
  ['99 bounces at one domain', { 'gmail.com': 99 }, 'warning'],
  ['100 bounces at one domain', { 'gmail.com': 100 }, 'paused'],
])('of 200 recipients, %s', async (_, domains, expected) => {
  await bounceAt(domains);
  expect(await status()).toBe(expected);
});

test('bounces that strangers wrote do not spread those of one domain', async () => {
  const atStrangers = Array.from({ length: 10 }, (_, n) => ({
    ...{ address: `gone@domain-${n}.example`, events: ['bounced'], bounceClass: 'bad_mailbox' },
    data: { authenticated: false },
  }));
  await storeEmailWith(ctx, workspace.workspaceId, atStrangers);
  await bounceAt({ 'evil.example': 11 });
  expect(await status()).toBe('warning');
});

test('recipients who were erased count as if each was at a domain of its own, so erasing them prevents no pause', async () => {
  const gone = Array.from({ length: 10 }, (_, n) => `erased-${n + 1}@erased.invalid`);
  const events = gone.map((address) => ({ address, events: ['bounced'], bounceClass: 'bad_mailbox' }));
  await storeEmailWith(ctx, workspace.workspaceId, events);
  await store({ sent: 190 });
  await countAll(ctx);
  await warnOrPauseWorkspaces(ctx);
  expect(await status()).toBe('paused');
});

describe('an owner', () => {
  const owner = { type: 'user', id: null, label: 'jane@example.com', ip: null } as const;
  const resume = (reason = 'We removed the addresses') =>
    resumeOwnWorkspace(ctx, owner, { id: workspace.workspaceId, reason });
  const pauseByRates = async () => {
    await store({ sent: 1_000, bounced: 500 });
    await warnOrPauseWorkspaces(ctx);
    expect(await status()).toBe('paused');
  };
  const setTimes = (resumedDaysAgo: number) => {
    const at = new Date(Date.now() - resumedDaysAgo * 86_400_000);
    return ctx.db('workspaces').where({ id: workspace.workspaceId }).update({ resumed_at: at, owner_resumed_at: at });
  };

  test('resumes the workspace with a reason, and what was counted before does not pause it again', async () => {
    await pauseByRates();
    await resume('We bought a list. It is deleted.');
    await ctx.db('reputations').update({ is_due: true });
    await warnOrPauseWorkspaces(ctx);
    expect(await status()).toBe('ok');
    const [entry] = await ctx.db('audit_log').where({ action: 'workspace.resumed' });
    expect(entry).toMatchObject({
      actor_type: 'user',
      actor_label: 'jane@example.com',
      changes: { paused: { from: true, to: false }, because: { from: null, to: 'We bought a list. It is deleted.' } },
    });
    await expect(resume()).rejects.toMatchObject({ code: 'conflict', message: 'The workspace is not paused.' });
  });

  test('cannot end the next pause within 30 days, but the operator can', async () => {
    await pauseByRates();
    await resume();
    await setTimes(29);
    await ctx.db('sending_stats').delete();
    await pauseByRates();
    await expect(resume()).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('30 days') });
    await resumeWorkspace(ctx, workspace.workspaceId);
    expect(await pauseReason()).toBeNull();
  });

  test('can end a pause that comes later', async () => {
    await pauseByRates();
    await resume();
    await setTimes(31);
    await ctx.db('sending_stats').delete();
    await pauseByRates();
    await resume();
    expect(await pauseReason()).toBeNull();
  });

  test('cannot end a pause of the operator, even if the service began it', async () => {
    await pauseByRates();
    await pauseWorkspace(ctx, workspace.workspaceId, 'We got complaints about phishing.');
    expect(await pauseReason()).toBe('We got complaints about phishing.');
    await expect(resume()).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('operator') });
    expect(await pauseReason()).toBe('We got complaints about phishing.');
  });
});

test('an operator pauses and resumes a workspace by hand', async () => {
  const { workspaceId } = workspace;
  await pauseWorkspace(ctx, workspaceId, 'We got complaints about phishing.');
  expect(await pauseReason()).toBe('We got complaints about phishing.');
  expect(await mails()).toEqual([PAUSED]);
  await expect(pauseWorkspace(ctx, workspaceId, 'Again')).rejects.toMatchObject({ code: 'conflict' });
  await resumeWorkspace(ctx, workspaceId);
  expect(await pauseReason()).toBeNull();
  await expect(resumeWorkspace(ctx, workspaceId)).rejects.toMatchObject({ code: 'conflict' });
  await expect(pauseWorkspace(ctx, SYSTEM_WORKSPACE_ID, 'No')).rejects.toMatchObject({ code: 'not_found' });
  const entries = await ctx.db('audit_log').where({ workspace_id: workspaceId }).whereLike('action', 'workspace.%');
  expect(entries.map(({ action, actor_type }) => [action, actor_type])).toEqual(
    expect.arrayContaining([
      ['workspace.paused', 'operator'],
      ['workspace.resumed', 'operator'],
    ]),
  );
});

test('counts and bounces are deleted after 60 days', async () => {
  await store({ sent: 1 }, 61 * 24);
  await store({ sent: 2 }, 59 * 24);
  await deleteOldStats(ctx, new Date(), () => true);
  expect(await ctx.db('sending_stats').pluck('sent')).toEqual([2]);
});
