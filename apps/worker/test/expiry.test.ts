import { claimEmails } from '@posthorn/domain/delivery';
import type { SmtpReply } from '@posthorn/testing';
import { openTestWorker, type TestWorker } from './open-test-worker.js';

let t: TestWorker;
let reply: (command: string, address: string) => SmtpReply | undefined;

beforeEach(async () => {
  reply = () => undefined;
  const config = { retryScheduleSeconds: [3_600, 3_600], sweepIntervalMs: 100 };
  t = await openTestWorker({ started: false, config, sink: { reply: (command, address) => reply(command, address) } });
});

afterEach(() => t.close());

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000);

/** Changes the email as if its expires_at had just passed. */
async function expire(id: string): Promise<void> {
  const past = new Date(Date.now() - 1_000);
  await t.ctx.db('emails').where({ id }).update({ expires_at: past });
  await t.ctx.db('deliveries').where({ email_id: id }).update({ due_at: past });
}

describe('an email with expires_at', () => {
  test('can be sent until then', async () => {
    const id = await t.accept({ expiresAt: inSeconds(60) });
    t.start();
    expect((await t.until(id, 'sent')).expiresAt).toBeInstanceOf(Date);
  });

  test('ends as expired if no worker could send it by then', async () => {
    const id = await t.accept({ expiresAt: inSeconds(60) });
    await expire(id);
    t.start();
    const email = await t.until(id, 'expired');
    expect(email.recipients[0]).toMatchObject({ status: 'expired' });
    expect(email.recipients[0]?.smtpResponse).toMatch(/^Expired at .*Z, before it could be sent$/);
    expect(t.sink.messages).toHaveLength(0);
  });

  test('ends as expired at that time, even if the next attempt would be later', async () => {
    reply = (command) => (command === 'DATA' ? { code: 451, text: '4.3.0 Busy' } : undefined);
    const expiresAt = inSeconds(600);
    const id = await t.accept({ expiresAt });
    t.start();
    const { nextAttemptAt } = await t.until(id, 'deferred');
    const secondsLate = ((nextAttemptAt?.getTime() ?? 0) - expiresAt.getTime()) / 1_000;
    expect(secondsLate).toBeGreaterThanOrEqual(0);
    expect(secondsLate).toBeLessThan(600);
    await expire(id);
    const email = await t.until(id, 'expired');
    expect(email.attempts.map(({ outcome }) => outcome)).toEqual(['deferred', 'failed']);
    expect(t.sink.messages).toHaveLength(0);
  });

  test('records that a mail server may have it if it expires after an attempt without a known result', async () => {
    const id = await t.accept({ expiresAt: inSeconds(600) });
    await t.ctx.db('deliveries').where({ email_id: id }).update({ ambiguous_attempts: 1 });
    await expire(id);
    t.start();
    const email = await t.until(id, 'expired');
    const texts = [email.recipients[0]?.smtpResponse, email.events.at(-1)?.detail];
    for (const text of texts) expect(text).toMatch(/^Expired at .*Z\. A mail server may already have it, because/);
  });

  test('records the same if it expires while a stopping worker is sending it', async () => {
    const id = await t.accept({ expiresAt: inSeconds(600) });
    await claimEmails(t.ctx.db, [id], 0);
    await t.ctx
      .db('emails')
      .where({ id })
      .update({ expires_at: inSeconds(-1) });
    t.start();
    const { events } = await t.until(id, 'expired');
    const [expired, ambiguous] = events.slice(-2);
    expect(expired).toMatchObject({ type: 'expired', detail: expect.stringContaining('may already have it') });
    expect(ambiguous).toMatchObject({ type: 'ambiguous', detail: expect.stringContaining('during attempt 1') });
  });

  test('counts as sent if it was sent to one recipient, and expires only for the others', async () => {
    reply = (command, address) =>
      command === 'RCPT' && address === 'busy@example.com' ? { code: 451, text: '4.3.0 Busy' } : undefined;
    const id = await t.accept({ to: ['jane@example.com', 'busy@example.com'], expiresAt: inSeconds(600) });
    t.start();
    await t.until(id, 'deferred');
    await expire(id);
    const email = await t.until(id, 'sent');
    expect(email.recipients.map(({ status }) => status)).toEqual(['sent', 'expired']);
  });
});
