import { operator } from '@posthorn/domain/audit-log';
import { addSuppression, importSuppressions, listSuppressions, removeSuppression } from '@posthorn/domain/suppressions';
import { EVERY_WORKSPACE } from '@posthorn/domain/workspaces';
import { type SmtpReply, until } from '@posthorn/testing';
import { openTestWorker, type TestWorker } from './open-test-worker.js';

let t: TestWorker;
let reply: (command: string, address: string) => SmtpReply | undefined;

beforeEach(async () => {
  reply = () => undefined;
  t = await openTestWorker({ sink: { reply: (command, address) => reply(command, address) } });
});

afterEach(() => t.close());

const suppress = (address: string, workspaceId = t.workspaceId) =>
  addSuppression(t.ctx, operator, workspaceId, { address, topic: null, detail: null });

const listed = async () =>
  (await listSuppressions(t.ctx.db, t.workspaceId, {}, { limit: 100, after: null, before: null })).rows;

/** Refuses this recipient with the reply, and accepts all others. */
function refuse(recipient: string, code: number, text: string): void {
  reply = (command, address) => (command === 'RCPT' && address === recipient ? { code, text } : undefined);
}

async function usedSends(): Promise<number[]> {
  return t.ctx.db('usage').where({ workspace_id: t.workspaceId }).pluck('used');
}

test('a suppressed recipient never reaches a mail server, and its usage is refunded', async () => {
  await suppress('Jane@Example.com');
  const id = await t.accept({ to: ['jane@example.com', 'john@example.com'] });
  const email = await t.until(id, 'sent');
  expect(email.recipients.map(({ status, smtpResponse }) => [status, smtpResponse])).toEqual([
    ['suppressed', 'Suppressed: the address was added to the suppression list'],
    ['sent', expect.any(String)],
  ]);
  const [message] = await t.sink.waitFor(1);
  expect(message?.envelope.to).toEqual(['john@example.com']);
  expect(await usedSends()).toEqual([1, 1]);
  expect(email.events.map(({ type, recipient }) => [type, recipient])).toEqual([
    ['accepted', null],
    ['sent', 'john@example.com'],
    ['suppressed', 'jane@example.com'],
  ]);
});

test('an email whose recipients are all suppressed ends as suppressed, without a mail server', async () => {
  await suppress('jane@example.com');
  const email = await t.until(await t.accept({ to: ['jane@example.com'] }), 'suppressed');
  expect(email.attempts).toMatchObject([{ outcome: 'failed', phase: 'envelope', conversation: [] }]);
  expect(await usedSends()).toEqual([0, 0]);
  expect(t.sink.messages).toHaveLength(0);
});

test('an email that was accepted before its recipient was suppressed is not sent', async () => {
  await t.stopAll();
  const id = await t.accept({ to: ['jane@example.com'] });
  await suppress('jane@example.com');
  t.start();
  await t.until(id, 'suppressed');
});

test('a mailbox that does not exist is suppressed at once, until the suppression is removed', async () => {
  refuse('gone@example.com', 550, '5.1.1 No such user here');
  const bounced = await t.until(await t.accept({ to: ['gone@example.com'] }), 'bounced');
  expect(bounced.recipients).toMatchObject([{ bounceClass: 'bad_mailbox' }]);
  const [suppression] = await listed();
  expect(suppression).toMatchObject({
    address: 'gone@example.com',
    reason: 'hard_bounce',
    topic: null,
    emailId: bounced.id,
    detail: expect.stringContaining('No such user here'),
  });
  await t.until(await t.accept({ to: ['gone@example.com'] }), 'suppressed');
  const removal = { id: suppression?.id ?? '', because: null };
  expect(await removeSuppression(t.ctx, operator, t.workspaceId, removal)).toMatchObject(
    removal.id ? (suppression ?? {}) : {},
  );
  reply = () => undefined;
  await t.until(await t.accept({ to: ['gone@example.com'] }), 'sent');
});

test.each([
  [550, '5.7.1 Message blocked by policy'],
  [550, '5.7.26 This mail is unauthenticated'],
  [554, '5.6.0 The message cannot be delivered'],
  [554, 'Transaction failed'],
])('%i %s does not suppress the address', async (code, text) => {
  refuse('jane@example.com', code, text);
  await t.until(await t.accept({ to: ['jane@example.com'] }), 'bounced');
  expect(await listed()).toEqual([]);
});

test('a reply to the whole message does not suppress one of several recipients', async () => {
  reply = (command) => (command === 'DATA' ? { code: 550, text: '5.1.1 One of the users is unknown' } : undefined);
  await t.until(await t.accept({ to: ['one@example.com', 'two@example.com'] }), 'bounced');
  expect(await listed()).toEqual([]);
  await t.until(await t.accept({ to: ['one@example.com'] }), 'bounced');
  expect(await listed()).toMatchObject([{ address: 'one@example.com' }]);
});

test.each([
  ['MAIL', 550, '5.2.1 Mailbox disabled'],
  ['MAIL', 550, '5.1.1 User unknown'],
  ['DATA', 554, 'This account has been suspended'],
])('a reply to %s that may be about us does not suppress the recipient', async (refused, code, text) => {
  reply = (command) => (command === refused ? { code, text } : undefined);
  await t.until(await t.accept({ to: ['jane@example.com'] }), 'bounced');
  expect(await listed()).toEqual([]);
});

test('a reply to the whole message suppresses nobody after the last attempt either', async () => {
  await t.stopAll();
  t.start({ retryScheduleSeconds: [] });
  reply = (command) => (command === 'DATA' ? { code: 452, text: '4.1.1 One of the users is unknown' } : undefined);
  const email = await t.until(await t.accept({ to: ['one@example.com', 'two@example.com'] }), 'failed');
  expect(email.recipients).toMatchObject([{ bounceClass: 'unknown' }, { bounceClass: 'unknown' }]);
  expect(await listed()).toEqual([]);
});

test('a domain that takes no mail is suppressed when it bounces again a day later', async () => {
  refuse('jane@example.com', 550, '5.1.2 Host unknown');
  const bounce = async () => t.until(await t.accept({ to: ['jane@example.com'] }), 'bounced');
  await bounce();
  await bounce();
  expect(await listed()).toEqual([]);
  await t.ctx.db.raw(`update soft_bounces set bounced_at = bounced_at - interval '25 hours'`);
  await bounce();
  expect(await listed()).toMatchObject([{ address: 'jane@example.com', reason: 'hard_bounce' }]);
});

test('after a suppression was removed, the bounces before it no longer count', async () => {
  refuse('jane@example.com', 550, '5.1.2 Host unknown');
  const bounce = async () => t.until(await t.accept({ to: ['jane@example.com'] }), 'bounced');
  await bounce();
  await t.ctx.db.raw(`update soft_bounces set bounced_at = bounced_at - interval '25 hours'`);
  await bounce();
  const [suppression] = await listed();
  await removeSuppression(t.ctx, operator, t.workspaceId, { id: suppression?.id ?? '', because: null });
  await bounce();
  expect(await listed()).toEqual([]);
});

test('the sends of suppressed recipients can be used again at once', async () => {
  await suppress('jane@example.com');
  await t.until(await t.accept({ to: ['jane@example.com'] }), 'suppressed');
  await until(async () => (await t.ctx.redis.keys(`*:{${t.workspaceId}}:usage:*`)).length === 0);
});

test('a suppression applies to its own workspace, and one of the operator to all', async () => {
  const other = await t.otherWorkspace();
  await suppress('jane@example.com', other.workspaceId);
  await t.until(await t.accept({ to: ['jane@example.com'] }), 'sent');
  await suppress('jane@example.com', EVERY_WORKSPACE);
  const { recipients } = await t.until(await t.accept({ to: ['jane@example.com'] }), 'suppressed');
  expect(recipients[0]?.smtpResponse).toMatch(/^Suppressed: the operator of this service/);
});

test('mail without a topic is sent to people who have unsubscribed, but not to those who complained', async () => {
  await importSuppressions(t.ctx, operator, t.workspaceId, [
    { address: 'quiet@example.com', reason: 'unsubscribe', topic: null },
    { address: 'news@example.com', reason: 'manual', topic: 'news' },
    { address: 'angry@example.com', reason: 'complaint', topic: null },
  ]);
  const id = await t.accept({ to: ['quiet@example.com', 'news@example.com', 'angry@example.com'] });
  const { recipients } = await t.until(id, 'sent');
  expect(recipients.map(({ status }) => status)).toEqual(['sent', 'sent', 'suppressed']);
});

test('test mail and the simulator neither suppress nor are suppressed', async () => {
  await suppress('jane@example.com');
  await t.until(await t.acceptTest({ to: ['jane@example.com'] }), 'sent');
  const simulated = `bounced@${t.ctx.config.simulatorDomain}`;
  await t.until(await t.accept({ to: [simulated] }), 'bounced');
  expect(await listed()).toMatchObject([{ address: 'jane@example.com', reason: 'manual' }]);
});
