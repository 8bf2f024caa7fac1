import { type Attachment, readAttachment, toAttachmentContent } from '@posthorn/domain/attachments';
import { selectDueEmails } from '@posthorn/domain/delivery';
import { findStoredMessage } from '@posthorn/domain/emails';
import { parseAddress } from '@posthorn/domain/format';
import { createTemplateCache } from '@posthorn/domain/templates';
import { buildWholeMessage, createMessageMemory, findSenderKey, readParts } from '@posthorn/message';
import { openTestWorker, type TestWorker } from './open-test-worker.js';

let t: TestWorker;

afterEach(() => t.close());

const getStatuses = (recipients: ReadonlyArray<{ address: string; status: string }>) =>
  Object.fromEntries(recipients.map(({ address, status }) => [address, status]));

function file(size: number): Attachment {
  const bytes = Buffer.alloc(size, 'A file. ');
  return { filename: 'a.txt', contentType: 'text/plain', contentId: null, content: toAttachmentContent(bytes) };
}

describe('test mail', () => {
  test('is built and signed, but never sent to a server', async () => {
    t = await openTestWorker();
    const id = await t.acceptTest({
      to: ['jane@example.com'],
      bcc: ['joe@example.com'],
      attachments: [file(3_000_000)],
    });
    const email = await t.until(id, 'sent');
    expect(getStatuses(email.recipients)).toEqual({ 'jane@example.com': 'sent', 'joe@example.com': 'sent' });
    expect(email.attempts).toMatchObject([{ route: 'test mode', outcome: 'sent', phase: 'reply' }]);
    expect(email.attempts[0]?.conversation.join()).toMatch(/The message is 4,\d{3},\d{3} bytes/);
    // A live email that was accepted later has arrived, so this one would have arrived too.
    await t.until(await t.accept({ to: ['live@example.com'] }), 'sent');
    expect(t.sink.messages.map(({ envelope }) => envelope.to)).toEqual([['live@example.com']]);
  });

  test('ends as usual while no relay works', async () => {
    t = await openTestWorker({ config: { smtpUrls: ['smtp://127.0.0.1:1'] } });
    const id = await t.acceptTest();
    expect(await t.until(id, 'sent')).toMatchObject({ attempts: [{ route: 'test mode' }] });
  });

  test('fails as live mail would, if its message cannot be built', async () => {
    t = await openTestWorker({ started: false });
    const id = await t.acceptTest();
    await t.ctx.db('email_contents').where({ email_id: id }).delete();
    t.start();
    const { recipients } = await t.until(id, 'failed');
    expect(recipients[0]?.smtpResponse).toBe('The content of the email is no longer stored');
  });
});

test('mail that never leaves tells workers so', async () => {
  t = await openTestWorker({ started: false });
  const ids = [await t.acceptTest(), await t.accept({ to: ['delivered@simulator.posthorn.localhost'] })];
  const needs = await t.ctx.db('deliveries').whereIn('email_id', ids).orderBy('email_id').pluck('needs');
  // testMode or simulator, and handoffIntent.
  expect(needs).toEqual([2 + 16, 4 + 16]);
});

describe('after the worker has died, mail that never leaves', () => {
  test.each(['retry', 'hold'] as const)('is not ambiguous with AMBIGUOUS_POLICY=%s', async (ambiguousPolicy) => {
    t = await openTestWorker({ started: false, config: { ambiguousPolicy } });
    const ids = [await t.acceptTest(), await t.accept({ to: ['delivered@simulator.posthorn.localhost'] })];
    for (const id of ids)
      expect(
        await selectDueEmails(t.ctx.db, { limit: 1, holders: [], onlyOthers: false }, 1).claimByIds([id]),
      ).toHaveLength(1);
    t.start();
    const [test, simulated] = [await t.until(ids[0] ?? '', 'sent'), await t.until(ids[1] ?? '', 'delivered')];
    for (const { attempts, events } of [test, simulated]) {
      expect(attempts.map(({ outcome }) => outcome)).toEqual(['deferred', 'sent']);
      expect(events.map(({ type }) => type)).not.toContain('ambiguous');
    }
  });
});

describe('the simulator', () => {
  const at = (local: string) => `${local}@simulator.posthorn.localhost`;

  describe.each(['live', 'test'] as const)('in %s mode', (mode) => {
    test.each([
      ['delivered', 'delivered', ['sent', 'delivered']],
      ['bounced+order7', 'bounced', ['bounced']],
      ['complained', 'complained', ['sent', 'delivered', 'complained']],
      ['suppressed', 'suppressed', ['suppressed']],
      ['Delivered', 'delivered', ['sent', 'delivered']],
    ] as const)('ends mail for %s@ as %s', async (local, status, events) => {
      t = await openTestWorker();
      const id = await (mode === 'live' ? t.accept : t.acceptTest)({ to: [at(local)] });
      const email = await t.until(id, status);
      expect(email.events.map(({ type }) => type)).toEqual(['accepted', ...events]);
      expect(email.events.slice(1).every(({ recipient }) => recipient === at(local))).toBe(true);
      expect(t.sink.messages).toEqual([]);
    });

    test('defers mail for deferred@ twice, then accepts it', async () => {
      t = await openTestWorker({ config: { retryScheduleSeconds: [0.1, 0.1, 0.1] } });
      const id = await (mode === 'live' ? t.accept : t.acceptTest)({ to: [at('deferred+x')] });
      const email = await t.until(id, 'sent');
      expect(email.events.map(({ type }) => type)).toEqual(['accepted', 'deferred', 'deferred', 'sent']);
      expect(email.attempts.map(({ outcome }) => outcome)).toEqual(['deferred', 'deferred', 'sent']);
      expect(t.sink.messages).toEqual([]);
    });
  });

  test('defers mail for deferred@ once if there is only one retry', async () => {
    t = await openTestWorker({ config: { retryScheduleSeconds: [0.1] } });
    const { events } = await t.until(await t.accept({ to: [at('deferred')] }), 'sent');
    expect(events.map(({ type }) => type)).toEqual(['accepted', 'deferred', 'sent']);
  });

  test('leaves the other recipients of the same email to the relay', async () => {
    t = await openTestWorker({ config: { retryScheduleSeconds: [0.1, 0.1, 0.1] } });
    const id = await t.accept({ to: ['jane@example.com', at('bounced')], cc: [at('deferred')] });
    const { recipients } = await t.until(id, 'sent');
    expect(getStatuses(recipients)).toEqual({
      'jane@example.com': 'sent',
      [at('bounced')]: 'bounced',
      [at('deferred')]: 'sent',
    });
    expect(t.sink.messages.map(({ envelope }) => envelope.to)).toEqual([['jane@example.com']]);
  });
});

test.each([
  ['without a file', []],
  ['with a file', [file(2_000_000)]],
])('the message that is built from what is stored is the one that was sent, byte for byte: %s', async (_, files) => {
  t = await openTestWorker();
  const replyTo = [parseAddress('Service <help@example.com>')];
  const id = await t.accept({
    to: ['Jane Dœ <jane@example.com>'],
    cc: ['joe@example.com'],
    replyTo,
    attachments: files,
  });
  await t.until(id, 'sent');
  const stored = await findStoredMessage(t.ctx.db, t.workspaceId, id);
  if (!stored) throw new Error('The email is not stored');
  const ctx = { ...t.ctx, templates: createTemplateCache(), messageMemory: createMessageMemory() };
  const read = await readParts(ctx, stored);
  const found = await findSenderKey({ ...ctx, signingKeys: new Map() }, stored);
  if (!('parts' in read && 'key' in found)) throw new Error('The message cannot be built');
  const lines: Buffer[] = [];
  for (const attachment of stored.attachments)
    for await (const part of readAttachment(ctx, t.workspaceId, attachment)) lines.push(part);
  const { attachments } = stored;
  const contents = attachments.length > 0 ? [Buffer.concat(lines)] : [];
  const built = await buildWholeMessage({ ...read, ...found, attachments, contents });
  expect(t.sink.messages[0]?.raw.equals(built)).toBe(true);
});
