import { setTimeout as sleep } from 'node:timers/promises';
import { claimEmails, recordOutcomes } from '@posthorn/domain/delivery';
import { findStoredMessage } from '@posthorn/domain/emails';
import type { Db } from '@posthorn/platform/postgres';
import { newId } from '@posthorn/platform/values';
import { countLockWaiters } from '../count-lock-waiters.js';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { readUsage } from './usage.js';

let t: TestApi;

beforeEach(async () => {
  t = await openTestApi();
});

afterEach(() => t.close());

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

async function accept(scheduledAt?: string): Promise<string> {
  const body = { to: ['a@example.com', 'b@example.com'], subject: 'Hello', text: 'Hi', scheduled_at: scheduledAt };
  return (await t.api.post('/api/v1/emails').set(t.auth).send(body)).body.id;
}

const cancel = (id: string, auth = t.auth) => t.api.post(`/api/v1/emails/${id}/cancel`).set(auth);

const reschedule = (id: string, at: string) =>
  t.api.patch(`/api/v1/emails/${id}`).set(t.auth).send({ scheduled_at: at });

/** Records the outcome of an attempt whose connection broke after the final dot. */
async function recordAmbiguousOutcome(db: Db, id: string): Promise<void> {
  const result = { smtpCode: null, smtpResponse: 'The server closed the connection' };
  const recipientResults = ['a@example.com', 'b@example.com'].map(
    (address, position) => ({ position, address, status: 'deferred', ...result }) as const,
  );
  await recordOutcomes(db, [
    {
      id,
      attempt: 1,
      status: 'deferred',
      retryInSeconds: 60,
      charged: true,
      recipientResults,
      outcome: 'ambiguous',
      phase: 'reply',
      route: 'smtp.example.com:587',
      conversation: [],
      event: null,
    },
  ]);
}

test('an email cannot be postponed to a time more than 30 days after it was accepted', async () => {
  const id = await accept(inHours(1));
  const acceptedAt = new Date(Date.now() - 20 * 86_400_000);
  await t.ctx.db('emails').where({ id }).update({ created_at: acceptedAt });
  await reschedule(id, inHours(9 * 24)).expect(200);
  const { status, body } = await reschedule(id, inHours(11 * 24));
  const message = `is more than 30 days after ${acceptedAt.toISOString()}, when the email was accepted. Choose an earlier time`;
  expect([status, body.errors]).toEqual([422, [{ field: 'scheduled_at', message }]]);
});

test('a time less than a minute ago means at once, and an earlier one is refused', async () => {
  expect(await accept(inHours(-5 / 3_600))).toBeDefined();
  expect(await accept(inHours(-90 / 3_600))).toBeUndefined();
});

test('the Date of a scheduled message is its time, also after a change', async () => {
  const at = inHours(20 * 24);
  const id = await accept(at);
  const readDate = async () => (await findStoredMessage(t.ctx.db, t.workspace.id, id))?.date.toISOString();
  expect(await readDate()).toBe(at);
  const later = inHours(20 * 24 + 1);
  await reschedule(id, later).expect(200);
  expect(await readDate()).toBe(later);
});

describe('an email with an attempt whose result is unknown', () => {
  test('can be neither canceled nor rescheduled, and nothing is refunded', async () => {
    const id = await accept();
    await claimEmails(t.ctx.db, [id], 60);
    await recordAmbiguousOutcome(t.ctx.db, id);
    for (const { status, body } of [await cancel(id), await reschedule(id, inHours(1))]) {
      expect([status, body.code]).toEqual([409, 'not_cancelable']);
      expect(body.detail).toMatch(/^A mail server may already have the email/);
    }
    expect((await t.api.get(`/api/v1/emails/${id}`).set(t.auth)).body.status).toBe('deferred');
    expect(await readUsage(t)).toEqual({ month: 2, day: 2 });
  });

  test.each([
    ['canceled', cancel],
    ['rescheduled', (id: string) => reschedule(id, inHours(1))],
  ])('cannot be %s by a request that waited while the outcome was recorded', async (_, change) => {
    const id = await accept();
    await claimEmails(t.ctx.db, [id], 60);
    const { recording, changing } = await t.ctx.db.transaction(async (trx) => {
      const untilWaiting = async (count: number) => {
        while ((await countLockWaiters(t)) < count) await trx.raw('select pg_sleep(0.01)');
      };
      await trx('emails').select('id').where({ id }).forUpdate();
      const recording = recordAmbiguousOutcome(t.ctx.db, id);
      await untilWaiting(1);
      const changing = change(id).then((answer) => answer);
      await untilWaiting(2);
      return { recording, changing };
    });
    await recording;
    expect((await changing).status).toBe(409);
    expect(await readUsage(t)).toEqual({ month: 2, day: 2 });
  });
});

describe('POST /api/v1/emails/{id}/cancel', () => {
  test.each([undefined, inHours(1)])(
    'cancels the email and refunds its sends, and no worker can claim it (%s)',
    async (at) => {
      const id = await accept(at);
      expect(await readUsage(t)).toEqual({ month: 2, day: 2 });
      const { status, body } = await cancel(id);
      expect(status).toBe(200);
      expect(body).toMatchObject({ id, status: 'canceled' });
      expect(body.recipients.map((recipient: { status: string }) => recipient.status)).toEqual([
        'canceled',
        'canceled',
      ]);
      expect(body.events.at(-1).type).toBe('canceled');
      expect(await readUsage(t)).toEqual({ month: 0, day: 0 });
      expect(await claimEmails(t.ctx.db, [id], 60)).toEqual([]);
    },
  );

  const partly = (statuses: [string, string]) => async (id: string) => {
    await t.ctx.db('emails').where({ id }).update({ status: 'deferred' });
    await t.ctx
      .db('deliveries')
      .where({ email_id: id })
      .update({ due_at: new Date(Date.now() + 60_000), is_due: false });
    for (const [position, status] of statuses.entries()) {
      await t.ctx.db('email_recipients').where({ email_id: id, position }).update({ status });
    }
  };

  test.each([
    [['sent', 'deferred'] as [string, string], 'sent'],
    [['bounced', 'deferred'] as [string, string], 'canceled'],
    [['failed', 'queued'] as [string, string], 'canceled'],
  ])(
    'cancels a deferred email for the recipients that are waiting (%j), even after it was rescheduled',
    async (statuses, status) => {
      for (const isRescheduled of [false, true]) {
        const id = await accept();
        await partly(statuses)(id);
        if (isRescheduled)
          await t.api
            .patch(`/api/v1/emails/${id}`)
            .set(t.auth)
            .send({ scheduled_at: inHours(2) })
            .expect(200);
        const { body } = await cancel(id).expect(200);
        expect(body.status).toBe(status);
        expect(body.recipients.map((recipient: { status: string }) => recipient.status)).toEqual([
          statuses[0],
          'canceled',
        ]);
      }
      expect(await readUsage(t)).toEqual({ month: 2, day: 2 });
    },
  );

  test('answers 409 with the status for an email that is being sent or already canceled', async () => {
    const [sending, canceled] = [await accept(), await accept()];
    await claimEmails(t.ctx.db, [sending], 60);
    await cancel(canceled);
    for (const [id, state] of [
      [sending, 'sending'],
      [canceled, 'canceled'],
    ] as const) {
      const { status, body } = await cancel(id);
      expect(status).toBe(409);
      expect(body.code).toBe('not_cancelable');
      expect(body.detail).toContain(state);
    }
    expect(await readUsage(t)).toEqual({ month: 2, day: 2 });
  });

  test('either cancels the email or loses to a concurrent claim, never both (50 rounds)', async () => {
    await t.ctx
      .db('workspaces')
      .where({ id: t.workspace.id })
      .update({ limit_overrides: '{"daily": null, "rate": 1000}' });
    await sleep(600);
    for (let round = 0; round < 50; round += 1) {
      const id = await accept();
      const [{ status }, claimed] = await Promise.all([cancel(id), claimEmails(t.ctx.db, [id], 60)]);
      expect([status, claimed.length]).toEqual(status === 200 ? [200, 0] : [409, 1]);
    }
  });
});

describe('PATCH /api/v1/emails/{id}', () => {
  test('reschedules a scheduled email', async () => {
    const id = await accept(inHours(1));
    const at = inHours(2);
    const { status, body } = await reschedule(id, at);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, status: 'scheduled', scheduled_at: at });
  });

  test('turns a queued email back into a scheduled one, so its delivery job finds nothing', async () => {
    const id = await accept();
    expect((await reschedule(id, inHours(1))).body.status).toBe('scheduled');
    expect(await claimEmails(t.ctx.db, [id], 60)).toEqual([]);
  });

  test('refuses times that would be invalid for a new email, and any other field', async () => {
    const id = await accept(inHours(1));
    expect((await reschedule(id, inHours(-1))).status).toBe(422);
    expect((await reschedule(id, inHours(24 * 31))).status).toBe(422);
    expect((await t.api.patch(`/api/v1/emails/${id}`).set(t.auth).send({ subject: 'x' })).status).toBe(422);
  });

  test('answers 409 for an email that a worker has claimed', async () => {
    const id = await accept();
    await claimEmails(t.ctx.db, [id], 60);
    expect((await reschedule(id, inHours(1))).status).toBe(409);
  });

  test('changes nothing and adds no event if the time stays the same', async () => {
    const at = inHours(1);
    const id = await accept(at);
    for (let repeat = 0; repeat < 3; repeat += 1) expect((await reschedule(id, at)).status).toBe(200);
    const { body } = await reschedule(id, inHours(2));
    expect(body.events.map(({ type }: { type: string }) => type)).toEqual(['accepted', 'scheduled', 'scheduled']);
  });

  test('answers 409 after 100 changes, and the email can still be canceled', async () => {
    const id = await accept(inHours(1));
    const event = { stream_id: id, workspace_id: t.workspace.id, type: 'email.scheduled', created_at: new Date() };
    await t.ctx.db.batchInsert(
      'events',
      Array.from({ length: 99 }, (_, index) => ({ id: newId(), sequence: index + 3, detail: 'Later', ...event })),
    );
    await t.ctx.db('deliveries').where({ email_id: id }).update({ last_sequence: 101 });
    expect((await reschedule(id, inHours(2))).status).toBe(200);
    const { status, body } = await reschedule(id, inHours(5));
    expect([status, body.code]).toEqual([409, 'conflict']);
    expect(body.detail).toBe(
      'This email has been rescheduled 100 times, which is the limit. Cancel it and send a new one.',
    );
    expect(await t.ctx.db('events').where({ stream_id: id })).toHaveLength(102);
    expect((await cancel(id)).status).toBe(200);
  });
});

describe("another workspace's email", () => {
  test('gets the same 404 as an unknown email on every route', async () => {
    const other = await t.otherTenant();
    const id = await accept(inHours(1));
    const unknown = '0192f0c1-0000-7000-8000-000000000000';
    const ask = {
      get: (of: string) => t.api.get(`/api/v1/emails/${of}`).set(other.auth),
      patch: (of: string) =>
        t.api
          .patch(`/api/v1/emails/${of}`)
          .set(other.auth)
          .send({ scheduled_at: inHours(3) }),
      cancel: (of: string) => cancel(of, other.auth),
    };
    for (const call of Object.values(ask)) {
      const [foreign, missing, illFormed] = [await call(id), await call(unknown), await call('not-an-id')];
      expect(foreign.status).toBe(404);
      expect({ ...foreign.body, request_id: '' }).toEqual({ ...missing.body, request_id: '' });
      expect({ ...illFormed.body, request_id: '' }).toEqual({ ...missing.body, request_id: '' });
    }
    expect((await t.api.get(`/api/v1/emails/${id}`).set(t.auth)).body.status).toBe('scheduled');
  });
});

describe('GET /api/v1/emails/{id}', () => {
  test('includes the next attempt time only while the email is deferred', async () => {
    const id = await accept();
    const read = async () => (await t.api.get(`/api/v1/emails/${id}`).set(t.auth).expect(200)).body;
    expect((await read()).next_attempt_at).toBeNull();
    const dueAt = new Date(Date.now() + 60_000);
    await t.ctx.db('emails').where({ id }).update({ status: 'deferred' });
    await t.ctx.db('deliveries').where({ email_id: id }).update({ due_at: dueAt, is_due: false });
    expect((await read()).next_attempt_at).toBe(dueAt.toISOString());
  });
});
