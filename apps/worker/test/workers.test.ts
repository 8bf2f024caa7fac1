import { setTimeout as sleep } from 'node:timers/promises';
import {
  buildHandoffKey,
  claimEmails,
  type Outcome,
  recordOutcomes,
  selectDueEmails,
  selectExpiredEmails,
  writeHandoffMarker,
} from '@posthorn/domain/delivery';
import { startSmtpSink } from '@posthorn/testing';
import { openTestWorker, type TestWorker } from './open-test-worker.js';

let t: TestWorker;

afterEach(() => t.close());

const acceptMany = (count: number) =>
  Promise.all(Array.from({ length: count }, (_, i) => t.accept({ to: [`p${i}@example.com`] })));

/** Expires the lease, as if the worker had stopped. */
const expireLease = (id: string) =>
  t.ctx
    .db('deliveries')
    .where({ email_id: id })
    .update({ lease_until: new Date(0) });

function sentOutcome(id: string, attempt: number): Outcome {
  const recipientResult = {
    position: 0,
    address: 'jane@example.com',
    status: 'sent',
    smtpCode: 250,
    smtpResponse: '250 OK',
  } as const;
  return {
    id,
    attempt,
    status: 'sent',
    retryInSeconds: null,
    charged: false,
    recipientResults: [recipientResult],
    outcome: 'sent',
    phase: 'reply',
    route: null,
    conversation: [],
    event: null,
  };
}

describe('workers', () => {
  test('that share a queue send each of 200 emails once', async () => {
    t = await openTestWorker();
    t.start();
    t.start();
    const ids = await acceptMany(200);
    const messages = await t.sink.waitFor(200);
    for (const id of ids) await t.until(id, 'sent');
    expect(new Set(messages.map(({ parsed }) => parsed.messageId)).size).toBe(200);
    expect(t.sink.messages).toHaveLength(200);
  });

  test('deliver emails whose delivery jobs are lost', async () => {
    t = await openTestWorker({ started: false });
    const ids = await acceptMany(30);
    await t.ctx.redis.flushdb();
    t.start();
    await Promise.all(ids.map((id) => t.until(id, 'sent')));
    expect(t.sink.messages).toHaveLength(30);
  });

  test('reclaim an email once the lease of a stopped worker expires, and mark its attempt as ambiguous', async () => {
    t = await openTestWorker({ started: false, config: { leaseSeconds: 1 } });
    const id = await t.accept();
    await claimEmails(t.ctx.db, [id], 1);
    t.start();
    const email = await t.until(id, 'sent');
    expect(email.attempts.map(({ outcome }) => outcome)).toEqual(['ambiguous', 'sent']);
    expect(t.sink.messages).toHaveLength(1);
  });

  test('give up on an email after too many workers have stopped while delivering it', async () => {
    t = await openTestWorker({ started: false, config: { leaseSeconds: 1 } });
    const id = await t.accept();
    await claimEmails(t.ctx.db, [id], 1);
    await t.ctx.db('deliveries').where({ email_id: id }).update({ ambiguous_attempts: 5 });
    t.start();
    const email = await t.until(id, 'failed');
    expect(email.events.at(-1)?.detail).toContain('Gave up: too many attempts ended without a known result');
    expect(t.sink.messages).toHaveLength(0);
  });

  test('do not repeat a handoff whose marker was written before the worker stopped', async () => {
    t = await openTestWorker({ started: false, config: { leaseSeconds: 1 } });
    const id = await t.accept();
    await claimEmails(t.ctx.db, [id], 1);
    const recipientResults = [
      { position: 0, address: 'jane@example.com', status: 'sent', smtpCode: 250, smtpResponse: '250 OK' },
    ];
    await t.ctx.redis.set(buildHandoffKey(t.ctx, id, 1), JSON.stringify(recipientResults));
    const { metrics } = t.start().ctx;
    const email = await t.until(id, 'sent');
    expect(email.events.map(({ type }) => type)).toContain('recovered');
    expect(email.attempts.at(-1)?.outcome).toBe('sent');
    expect(t.sink.messages).toHaveLength(0);
    expect((await metrics.recovered.get()).values).toMatchObject([{ value: 1 }]);
    expect((await metrics.claimed.get()).values).toMatchObject([{ labels: { source: 'lost_worker' }, value: 1 }]);
  });

  test('recover a handoff to only some of the recipients as partial', async () => {
    t = await openTestWorker({ started: false, config: { leaseSeconds: 1 } });
    const id = await t.accept({ to: ['jane@example.com', 'nobody@example.com'] });
    const [claimed] = await claimEmails(t.ctx.db, [id], 1);
    const recipientResults = (claimed?.recipients ?? []).map(({ position, address }) =>
      address.startsWith('jane')
        ? ({ position, address, status: 'sent', smtpCode: 250, smtpResponse: '250 OK' } as const)
        : ({ position, address, status: 'bounced', smtpCode: 550, smtpResponse: '550 No such user' } as const),
    );
    await writeHandoffMarker(t.ctx, { id, attempt: 1, recipientResults }, 60);
    t.start();
    const email = await t.until(id, 'sent');
    expect(email.recipients.map(({ status }) => status)).toEqual(['sent', 'bounced']);
    expect(email.attempts.at(-1)?.outcome).toBe('partial');
    expect(t.sink.messages).toHaveLength(0);
  });

  test('keep a handoff marker when a second worker stops before it can record the outcome', async () => {
    t = await openTestWorker({ started: false, config: { leaseSeconds: 1 } });
    const id = await t.accept();
    await claimEmails(t.ctx.db, [id], 60);
    await writeHandoffMarker(t.ctx, sentOutcome(id, 1), 60);
    await expireLease(id);
    const recordable = t.ctx.db('events').where({ stream_id: id, type: 'email.recovered' });
    await t.ctx.db.raw("alter table events add constraint held check (type <> 'email.recovered') not valid");
    const second = t.start();
    while ((await t.read(id)).attempts.length < 2) await sleep(20);
    await second.stop();
    await t.ctx.db.raw('alter table events drop constraint held');
    t.start();
    await t.until(id, 'sent');
    expect(await recordable).toHaveLength(1);
    expect(t.sink.messages).toHaveLength(0);
  });

  test('find a handoff marker even if a later worker stopped without writing one', async () => {
    t = await openTestWorker({ started: false });
    const id = await t.accept();
    await claimEmails(t.ctx.db, [id], 60);
    await writeHandoffMarker(t.ctx, sentOutcome(id, 1), 60);
    await expireLease(id);
    await selectExpiredEmails(t.ctx.db, { limit: 1, held: [] }, 60).claimMany();
    await expireLease(id);
    t.start();
    const email = await t.until(id, 'sent');
    expect(email.attempts.map(({ outcome }) => outcome)).toEqual(['ambiguous', 'ambiguous', 'sent']);
    expect(email.events.map(({ type }) => type)).toContain('recovered');
    expect(t.sink.messages).toHaveLength(0);
  });

  test('ignore the marker of a recorded attempt when a worker stops during a later attempt', async () => {
    t = await openTestWorker({ started: false, config: { ambiguousPolicy: 'hold' } });
    const id = await t.accept({ to: ['jane@example.com', 'later@example.com'] });
    await claimEmails(t.ctx.db, [id], 60);
    await expireLease(id);
    await selectExpiredEmails(t.ctx.db, { limit: 1, held: [] }, 60).claimMany();
    const { recipientResults, ...rest } = sentOutcome(id, 2);
    const busy = { smtpCode: 450, smtpResponse: '450 Try later' };
    const later = { position: 1, address: 'later@example.com', status: 'deferred', ...busy } as const;
    const partial = {
      ...rest,
      status: 'deferred',
      outcome: 'partial',
      retryInSeconds: 0,
      recipientResults: [...recipientResults, later],
    } as const;
    await writeHandoffMarker(t.ctx, partial, 60);
    await recordOutcomes(t.ctx.db, [partial]);
    await selectDueEmails(t.ctx.db, { limit: 1, holders: [], onlyOthers: false }, 60).claimMany();
    await expireLease(id);
    t.start();
    const email = await t.until(id, 'sent');
    expect(email.recipients.map(({ status }) => status)).toEqual(['sent', 'failed']);
    expect(email.attempts.map(({ outcome }) => outcome)).toEqual(['ambiguous', 'partial', 'ambiguous', 'ambiguous']);
    expect(t.sink.messages).toHaveLength(0);
  });

  test('with AMBIGUOUS_POLICY=hold send nothing twice and fail the email with a reason', async () => {
    t = await openTestWorker({ started: false, config: { leaseSeconds: 1, ambiguousPolicy: 'hold' } });
    const id = await t.accept();
    await claimEmails(t.ctx.db, [id], 1);
    t.start();
    const email = await t.until(id, 'failed');
    expect(email.events.at(-1)).toMatchObject({
      type: 'ambiguous',
      detail:
        'The worker stopped while delivering the email, so the server may have the message. It will not be sent again, because AMBIGUOUS_POLICY is hold.',
    });
    expect(email.attempts.map(({ outcome, route }) => ({ outcome, route }))).toEqual([
      { outcome: 'ambiguous', route: null },
      { outcome: 'ambiguous', route: null },
    ]);
    expect(email.recipients[0]?.smtpResponse).toBe(
      'Gave up. Last error: The worker stopped while delivering the email',
    );
    expect(t.sink.messages).toHaveLength(0);
  });

  test('record no outcome after another worker has claimed the email', async () => {
    t = await openTestWorker({ started: false });
    const id = await t.accept();
    const [claimed] = await claimEmails(t.ctx.db, [id], 3);
    await t.ctx
      .db('deliveries')
      .where({ email_id: id })
      .update({ attempt: (claimed?.attempt ?? 0) + 1 });
    const written = await recordOutcomes(t.ctx.db, [sentOutcome(id, claimed?.attempt ?? 0)]);
    expect(written.size).toBe(0);
    expect((await t.read(id)).status).toBe('sending');
  });

  test('record an outcome once, even if the reply to the first statement was lost', async () => {
    t = await openTestWorker({ started: false });
    const id = await t.accept();
    await claimEmails(t.ctx.db, [id], 3);
    for (let tries = 1; tries <= 2; tries += 1) {
      const written = await recordOutcomes(t.ctx.db, [sentOutcome(id, 1)]);
      expect([...written]).toEqual([id]);
    }
    expect((await t.read(id)).events.map(({ type }) => type)).toEqual(['accepted', 'sent']);
  });

  test('finish the emails in hand when they stop', async () => {
    t = await openTestWorker({ started: false });
    const worker = t.start();
    const ids = await acceptMany(40);
    await t.sink.waitFor(1);
    await worker.stop();
    const states: string[] = [];
    // One by one, because the connections of the pool are few, and on a busy machine the others would wait for too long.
    for (const id of ids) states.push((await t.read(id)).status);
    expect(new Set(states).has('sending')).toBe(false);
    expect(states.filter((status) => status === 'sent')).toHaveLength(t.sink.messages.length);
    t.start();
    await Promise.all(ids.map((id) => t.until(id, 'sent')));
    expect(t.sink.messages).toHaveLength(40);
  });
});

describe('SMTP_URL', () => {
  test.each([
    ['a password', {}],
    ['implicit TLS', { tls: 'implicit' as const }],
    ['STARTTLS', { tls: true }],
  ])('works with %s', async (_title, options) => {
    const sink = await startSmtpSink({ auth: { user: 'me@example.com', pass: 'p@ss:word' }, ...options });
    t = await openTestWorker({ config: { smtpUrls: [sink.url] } });
    const id = await t.accept();
    await t.until(id, 'sent');
    expect(sink.messages).toHaveLength(1);
    expect(sink.messages[0]?.session.secure).toBe('tls' in options);
    const said = (await t.read(id)).attempts.flatMap(({ conversation }) => conversation).join('\n');
    expect(said).toContain('AUTH (credentials)');
    expect(said).not.toMatch(/me@example|AG1l|bWVA/);
    await sink.close();
  });

  test('can specify a second relay, which takes over when the first is down', async () => {
    t = await openTestWorker({ started: false });
    t.start({ smtpUrls: ['smtp://127.0.0.1:9', t.sink.url] });
    const ids = await acceptMany(10);
    await Promise.all(ids.map((id) => t.until(id, 'sent')));
    expect(t.sink.messages).toHaveLength(10);
  });
});
