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

/** Lets the time pass at which the email expires. */
async function expire(id: string): Promise<void> {
  const past = new Date(Date.now() - 1_000);
  await t.ctx.db('emails').where({ id }).update({ expires_at: past });
  await t.ctx.db('deliveries').where({ email_id: id }).update({ due_at: past });
}

describe('an email with expires_at', () => {
  test('is sent before that time', async () => {
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

  test('is sent if one recipient has it, and only the others expire', async () => {
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
