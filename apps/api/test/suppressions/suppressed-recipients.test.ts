import { operator } from '@posthorn/domain/audit-log';
import { addSuppression, importSuppressions } from '@posthorn/domain/suppressions';
import { EVERY_WORKSPACE } from '@posthorn/domain/workspaces';
import { until } from '@posthorn/testing';
import { openTestApi, type TestApi } from '../open-test-api.js';

let t: TestApi;

beforeEach(async () => {
  t = await openTestApi();
});

afterEach(async () => {
  jest.restoreAllMocks();
  await t.close();
});

const email = { to: ['jane@example.com', 'Joe <Joe@Example.com>'], subject: 'Hello', text: 'Hi' };
const send = (body: object = email, auth: Record<string, string> = t.auth) =>
  t.api.post('/api/v1/emails').set(auth).send(body).expect(202);
const check = (body: object = email, auth: Record<string, string> = t.auth) =>
  t.api.post('/api/v1/emails/check').set(auth).send(body).expect(200);
const suppress = (address: string, workspaceId = t.workspace.id) =>
  addSuppression(t.ctx, operator, workspaceId, { address, topic: null, detail: null });

test('a send to a suppressed recipient is accepted with a warning', async () => {
  await suppress('joe@example.com');
  const { body } = await send();
  expect(body.warnings).toEqual([
    {
      code: 'suppressed_recipients',
      message: 'One recipient is suppressed and will not get the email: Joe@example.com.',
    },
  ]);
});

test('so is one to an address that is suppressed for all workspaces', async () => {
  t = await openTestApi({ ownDatabase: 'it suppresses an address for all workspaces' });
  await suppress('joe@example.com', EVERY_WORKSPACE);
  expect((await send()).body.warnings).toMatchObject([{ code: 'suppressed_recipients' }]);
});

test('each email of a batch has its own warnings', async () => {
  await suppress('joe@example.com');
  const batch = [email, { ...email, to: ['jane@example.com'] }];
  const { body } = await t.api.post('/api/v1/emails/batch').set(t.auth).send(batch).expect(202);
  const codes = body.data.map(({ warnings }: { warnings: Array<{ code: string }> }) =>
    warnings.map(({ code }) => code),
  );
  expect(codes).toEqual([['suppressed_recipients'], []]);
});

test('unsubscribing and topics do not concern mail without a topic', async () => {
  await importSuppressions(t.ctx, operator, t.workspace.id, [
    { address: 'joe@example.com', reason: 'unsubscribe', topic: null },
    { address: 'jane@example.com', reason: 'manual', topic: 'news' },
  ]);
  expect((await send()).body.warnings).toEqual([]);
});

test('a key that was used before the first suppression learns of it within seconds', async () => {
  expect((await send()).body.warnings).toEqual([]);
  await suppress('joe@example.com');
  await until(async () => (await send()).body.warnings.length === 1);
});

test('a workspace without suppressions makes no query for them, and another tenant is not concerned', async () => {
  const other = await t.otherTenant();
  await suppress('joe@example.com', other.workspace.id);
  const lookUp = jest.spyOn(t.ctx.accepting, 'findSuppressed');
  expect((await send()).body.warnings).toEqual([]);
  expect(lookUp).not.toHaveBeenCalled();
  expect((await send(email, other.auth)).body.warnings).toHaveLength(1);
  expect(lookUp).toHaveBeenCalledTimes(1);
});

test('a check says who is suppressed and why, and whether anyone would get the email', async () => {
  await importSuppressions(t.ctx, operator, t.workspace.id, [
    { address: 'joe@example.com', reason: 'complaint', topic: null },
  ]);
  const simulated = 'suppressed@simulator.posthorn.localhost';
  const some = await check({ ...email, cc: [simulated] });
  expect(some.body.would_send).toBe(true);
  expect(some.body.recipients).toEqual([
    { address: 'jane@example.com', status: 'ok', reason: null },
    { address: 'Joe@example.com', status: 'suppressed', reason: 'complaint' },
    { address: simulated, status: 'suppressed', reason: 'simulated' },
  ]);
  expect(some.body.warnings).toMatchObject([{ code: 'suppressed_recipients' }]);
  const none = await check({ ...email, to: ['joe@example.com', simulated] });
  expect(none.body.would_send).toBe(false);
});

test('test mail is not checked', async () => {
  await suppress('joe@example.com');
  const auth = { Authorization: `Bearer ${await t.keyWith(['emails:send'], 'test')}` };
  expect((await send(email, auth)).body.warnings).toEqual([]);
  expect((await check(email, auth)).body.would_send).toBe(true);
});
