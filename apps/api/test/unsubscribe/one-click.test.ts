import { setTimeout as sleep } from 'node:timers/promises';
import { operator } from '@posthorn/domain/audit-log';
import { claimEmails, recordOutcomes } from '@posthorn/domain/delivery';
import { eraseNextBatch, requestErasure } from '@posthorn/domain/erasure';
import { listenForEvents } from '@posthorn/domain/events';
import { until } from '@posthorn/testing';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { acceptWithLink, ONE_CLICK, readEvents, readSuppressions } from './links.js';

let t: TestApi;

beforeEach(async () => {
  t = await openTestApi();
});

afterEach(() => t.close());

const click = (path: string) => t.api.post(path).type('form').send(ONE_CLICK);

const part = (head: string) => `--x\r\n${head}\r\n\r\nOne-Click\r\n--x--\r\n`;

/** Records that a mail server accepted the email, as a worker does. */
async function finish(id: string): Promise<void> {
  await t.ctx.db('deliveries').where({ email_id: id }).update({ is_due: true });
  const [claimed] = await claimEmails(t.ctx.db, [id], 60);
  await recordOutcomes(t.ctx.db, [
    {
      id,
      attempt: claimed?.attempt ?? 0,
      status: 'sent',
      retryInSeconds: 0,
      charged: true,
      recipientResults: [
        { position: 0, address: 'Jane@example.com', status: 'sent', smtpCode: 250, smtpResponse: 'OK' },
      ],
      outcome: 'sent',
      phase: 'reply',
      route: 'smtp.example.com:587',
      conversation: [],
      event: null,
    },
  ]);
}

describe('the POST of a mail program', () => {
  test('unsubscribes from the topic, answers 200 without a redirect, and can be repeated', async () => {
    const { id, path } = await acceptWithLink(t);
    for (let time = 0; time < 3; time += 1) {
      const response = await click(path).redirects(0);
      expect([response.status, response.headers['set-cookie']]).toEqual([200, undefined]);
    }
    const detail = 'One-click unsubscribe in a mail program';
    const suppression = { topic: 'newsletter', reason: 'unsubscribe', email_id: id, detail };
    expect(await readSuppressions(t)).toEqual([{ workspace_id: t.workspace.id, ...suppression }]);
    expect(await readEvents(t, id)).toEqual(['1 email.accepted', '2 email.unsubscribed']);
    const { body } = await t.api.get('/api/v1/events?type=email.unsubscribed').set(t.auth);
    expect(body.data).toEqual([
      expect.objectContaining({
        data: expect.objectContaining({
          email_id: id,
          recipient: 'Jane@example.com',
          status: null,
          reason: 'From the topic newsletter',
        }),
      }),
    ]);
  });

  test('may be multipart/form-data', async () => {
    const { id, path } = await acceptWithLink(t);
    await t.api.post(path).field('List-Unsubscribe', 'One-Click').expect(200);
    expect(await readSuppressions(t)).toMatchObject([{ topic: 'newsletter', email_id: id }]);
  });

  test.each([
    ['form', 'List-Unsubscribe=One-Click\r\n'],
    ['form', 'List-Unsubscribe=One-Click '],
    ['form', 'list-unsubscribe=one-click'],
    ['form', 'List-Unsubscribe%3DOne-Click'],
    ['form', ''],
    ['text/plain', 'List-Unsubscribe=One-Click'],
  ])('may be written a little differently: %s %j', async (type, body) => {
    const { path } = await acceptWithLink(t);
    await t.api.post(path).type(type).send(body).expect(200);
    expect(await readSuppressions(t)).toHaveLength(1);
  });

  const named = 'Content-Disposition: form-data; name="List-Unsubscribe"';

  test.each([
    ['line feeds alone', part(named).replaceAll('\r', '')],
    ['carriage returns alone', part(named).replaceAll('\n', '')],
    [
      'a name without quotes and a blank line before the value',
      part('content-disposition:form-data;name=List-Unsubscribe\r\n'),
    ],
    ['a blank line before the header', part(`\r\n${named}`)],
    ['a folded header and a type', part(`${named.replace('; ', ';\r\n\t')}\r\nContent-Type: text/plain`)],
    ['a text before and after', `A form\r\n\r\n${part(named)}\r\nThe end`],
    ['no last delimiter', part(named).replace('--x--', '')],
    ['another boundary than the header has', part(named).replaceAll('--x', '--y')],
    ['two fields', part(`Content-Disposition: form-data; name="a"\r\n\r\nb\r\n--x\r\n${named}`)],
    ['no content', ''],
  ])('may be multipart/form-data with %s', async (_name, body) => {
    const { path } = await acceptWithLink(t);
    await t.api.post(path).set('Content-Type', 'multipart/form-data; boundary=x').send(body).expect(200);
    expect(await readSuppressions(t)).toHaveLength(1);
  });

  test.each(['/', '//', '%3E', '%3C/a%3E', '%3E%3C/a%3E/', '/%3E', '/.', '.', '%20', ')', '_', '_.'])(
    'works with a link that ends in %s',
    async (suffix) => {
      const { path } = await acceptWithLink(t);
      await click(`${path}${suffix}`).expect(200);
      expect(await readSuppressions(t)).toHaveLength(1);
    },
  );

  test('works with a link in encoded angle brackets', async () => {
    const { path } = await acceptWithLink(t);
    await click(path.replace('/u/', '/u/%3C').concat('%3E')).expect(200);
    expect(await readSuppressions(t)).toHaveLength(1);
  });

  test.each(['', '/', '//', '%3C/a%3E'])('gets 405 for another method, also with %j after the link', async (suffix) => {
    const { path } = await acceptWithLink(t);
    await t.api.put(`${path}${suffix}`).send(ONE_CLICK).expect(405);
  });

  test('without a body and its type unsubscribes', async () => {
    const { path } = await acceptWithLink(t);
    await t.api.post(path).expect(200);
    expect(await readSuppressions(t)).toHaveLength(1);
  });

  test('may come from another site, and needs no cookie', async () => {
    const { path } = await acceptWithLink(t);
    const headers = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://webmail.example' };
    await t.api.post(path).set(headers).type('form').send(ONE_CLICK).expect(200);
    expect(await readSuppressions(t)).toHaveLength(1);
  });

  test('sent many times at once has one suppression and one event', async () => {
    const { id, path } = await acceptWithLink(t);
    const responses = await Promise.all(Array.from({ length: 10 }, () => click(path)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await readSuppressions(t)).toHaveLength(1);
    expect(await readEvents(t, id)).toEqual(['1 email.accepted', '2 email.unsubscribed']);
  });

  test('adds the event after those of a delivered email', async () => {
    const { id, path } = await acceptWithLink(t);
    await finish(id);
    const before = await readEvents(t, id);
    await click(path).expect(200);
    expect(await readEvents(t, id)).toEqual([...before, `${before.length + 1} email.unsubscribed`]);
  });

  test('before the email is sent leaves room for the events of the delivery', async () => {
    const { id, path } = await acceptWithLink(t);
    await click(path).expect(200);
    const { last_sequence } = await t.ctx.db('deliveries').where({ email_id: id }).first();
    expect(last_sequence).toBe(2);
  });

  test('works after the email has been deleted', async () => {
    const { id, path } = await acceptWithLink(t);
    for (const [table, column] of Object.entries({ emails: 'id', deliveries: 'email_id', events: 'stream_id' }))
      await t.ctx
        .db(table)
        .where({ [column]: id })
        .delete();
    await click(path).expect(200);
    expect(await readSuppressions(t)).toMatchObject([{ topic: 'newsletter', email_id: id }]);
    expect(await readEvents(t, id)).toEqual([]);
  });

  test('in test mail is an event, but suppresses nobody', async () => {
    const key = await t.keyWith(['emails:send', 'emails:read'], 'test');
    const { id, path } = await acceptWithLink(t, { auth: { Authorization: `Bearer ${key}` } });
    await click(path).expect(200);
    const { workspace_id: testWorkspace } = await t.ctx.db('emails').where({ id }).first('workspace_id');
    for (const workspace of [t.workspace, { id: testWorkspace }])
      expect(await readSuppressions(t, workspace)).toEqual([]);
    expect(await readEvents(t, id)).toEqual(['1 email.accepted', '2 email.unsubscribed']);
  });

  test('does not bring back the address of an erased recipient', async () => {
    const { id, path } = await acceptWithLink(t);
    await click(path).expect(200);
    await requestErasure(t.ctx, operator, { workspaceId: t.workspace.id, address: 'jane@example.com' });
    await finish(id);
    for (let done = true; done; ) {
      await t.ctx
        .db('erasures')
        .where({ workspace_id: t.workspace.id })
        .whereNotNull('due_at')
        .update({ due_at: new Date(0) });
      done = (await eraseNextBatch(t.ctx, { lateResponseSeconds: 0 })) !== null;
    }
    expect(await readSuppressions(t)).toEqual([]);
    await click(path).expect(200);
    expect(await readSuppressions(t)).toEqual([]);
    expect(
      await t.ctx.db('suppressions').where({ workspace_id: t.workspace.id }).whereNotNull('address_hash'),
    ).toHaveLength(1);
  });

  test('is told to workers that send webhooks', async () => {
    const { path } = await acceptWithLink(t);
    let signals = 0;
    const listener = listenForEvents(t.ctx, () => {
      signals += 1;
    });
    // The signal of the accepted email may still arrive.
    await sleep(200);
    signals = 0;
    await click(path).expect(200);
    await until(() => signals > 0);
    listener.close();
  });
});

describe('refuses', () => {
  const token = 'A'.repeat(120);

  test.each([[`/u/${token}`], ['/u/x'], ['/u/%E2%98%83'], [`/u/${'A'.repeat(3_000)}`]])('the path %s', async (path) => {
    await click(path).expect(404);
    await t.api.get(path).expect(404);
  });

  test('a token with one other character', async () => {
    const { path } = await acceptWithLink(t);
    const at = path.length - 10;
    const other = `${path.slice(0, at)}${path[at] === 'A' ? 'B' : 'A'}${path.slice(at + 1)}`;
    await click(other).expect(404);
    expect(await readSuppressions(t)).toEqual([]);
  });

  test.each([
    ['JSON', 'application/json', '{"List-Unsubscribe":"One-Click"}', 415],
    ['another form', 'application/x-www-form-urlencoded', 'a=b', 422],
    ['a broken multipart', 'multipart/form-data; boundary=x', 'List-Unsubscribe=One-Click', 422],
    ['a multipart without a name', 'multipart/form-data; boundary=x', '--x\r\n\r\nOne-Click\r\n--x--', 422],
    ['another multipart', 'multipart/form-data; boundary=x', part('Content-Disposition: form-data; name="a"'), 422],
    ['a large form', 'application/x-www-form-urlencoded', `${ONE_CLICK}&x=${'x'.repeat(20_000)}`, 413],
  ])('%s', async (_name, type, body, status) => {
    const { path } = await acceptWithLink(t);
    await t.api.post(path).set('Content-Type', type).send(body).expect(status);
    expect(await readSuppressions(t)).toEqual([]);
  });

  test('a link of another workspace has no effect here', async () => {
    const other = await t.otherTenant();
    const { path } = await acceptWithLink(t, { auth: other.auth });
    await click(path).expect(200);
    expect(await readSuppressions(t)).toEqual([]);
    expect(await readSuppressions(t, other.workspace)).toMatchObject([{ workspace_id: other.workspace.id }]);
  });
});
