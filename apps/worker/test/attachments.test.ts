import { randomBytes } from 'node:crypto';
import { type Attachment, AttachmentContent, parseAddress } from '@posthorn/domain';
import type { SmtpReply } from '@posthorn/testing';
import { openTestWorker, type TestWorker } from './open-test-worker.js';
import { openReceiver, publishedZone } from './receiver.js';

const MB = 1_000_000;

let t: TestWorker;
let reply: (command: string) => SmtpReply | undefined;

beforeEach(async () => {
  reply = () => undefined;
  t = await openTestWorker({ started: false, sink: { reply: (command) => reply(command) } });
});

afterEach(() => t.close());

function file(bytes: Buffer, changes: Partial<Attachment> = {}): Attachment {
  return {
    filename: 'invoice.pdf',
    contentType: 'application/pdf',
    contentId: null,
    content: new AttachmentContent(bytes),
    ...changes,
  };
}

async function receivedFiles(index = 0): Promise<Buffer[]> {
  const messages = await t.sink.waitFor(index + 1);
  return (messages[index]?.parsed.attachments ?? []).map(({ content }) => Buffer.from(content as ArrayBuffer));
}

describe('an email with attachments', () => {
  test.each([
    ['small', 10_000],
    ['large', 3 * MB],
  ])('is delivered with a %s one, byte for byte, and signed', async (_, size) => {
    const [one, other] = [randomBytes(size), randomBytes(size + 1)];
    const id = await t.accept({ attachments: [file(one), file(other, { filename: 'other.pdf' })] });
    t.start();
    await t.until(id, 'sent');
    expect(await receivedFiles()).toEqual([one, other]);
    const [{ raw, envelope }] = t.sink.messages as [(typeof t.sink.messages)[number]];
    const { dkim } = await openReceiver(await publishedZone(t.ctx, []))(raw, envelope.from);
    expect(dkim.map(({ result }) => result)).toEqual(['pass']);
  });

  test('announces the size of its message exactly', async () => {
    const id = await t.accept({ attachments: [file(randomBytes(2 * MB))] });
    t.start();
    const { attempts } = await t.until(id, 'sent');
    const [, announced] = /SIZE=(\d+)/.exec(attempts[0]?.conversation.join('\n') ?? '') ?? [];
    expect(Number(announced)).toBe(t.sink.messages[0]?.raw.length);
  });

  test('keeps lines that begin with a dot, before and after a file', async () => {
    const text = '.\n..a\n.';
    const content = { kind: 'raw' as const, subject: 'Dots', html: null, text };
    await t.accept({ content, attachments: [file(randomBytes(2 * MB))] });
    t.start();
    const [message] = await t.sink.waitFor(1);
    expect(message?.parsed.text?.trimEnd()).toBe(text);
  });

  test('is sent again with the same bytes after a deferral', async () => {
    let tries = 0;
    const raws: number[] = [];
    reply = (command) => {
      if (command !== 'DATA') return undefined;
      tries += 1;
      return tries === 1 ? { code: 451, text: '4.3.0 Busy' } : undefined;
    };
    const bytes = randomBytes(2 * MB);
    const id = await t.accept({ attachments: [file(bytes)] });
    t.start();
    const { attempts } = await t.until(id, 'sent');
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['deferred', 'sent']);
    expect(await receivedFiles()).toEqual([bytes]);
    expect(raws).toEqual([]);
  });

  test('waits, without a charged attempt, while its content cannot be read, and then goes out', async () => {
    const bytes = randomBytes(3 * MB);
    const id = await t.accept({ attachments: [file(bytes)] });
    await t.ctx.db.raw('alter table blob_parts rename to blob_parts_away');
    t.start();
    const { attempts } = await t.until(id, 'deferred');
    expect(attempts.at(-1)).toMatchObject({ outcome: 'deferred', phase: 'render' });
    await t.ctx.db.raw('alter table blob_parts_away rename to blob_parts');
    await t.until(id, 'sent');
    expect(await receivedFiles()).toEqual([bytes]);
  });

  test('is never sent in part if its content disappears while it is being sent', async () => {
    const bytes = randomBytes(3 * MB);
    const id = await t.accept({ attachments: [file(bytes)] });
    reply = (command) => {
      // The message has been signed by now, and is read a second time.
      if (command === 'RCPT') void t.ctx.db('blob_parts').where({ part: 2 }).update({ part: 102 });
      return undefined;
    };
    t.start();
    const { attempts, events } = await t.until(id, 'deferred');
    expect(attempts.at(-1)).toMatchObject({ outcome: 'deferred' });
    expect(events.map(({ detail }) => detail)).toContain('An attachment could not be read');
    expect(t.sink.messages).toHaveLength(0);
    reply = () => undefined;
    await t.ctx.db('blob_parts').where({ part: 102 }).update({ part: 2 });
    await t.until(id, 'sent');
    expect(await receivedFiles()).toEqual([bytes]);
  });

  test('fails if its attachments were deleted', async () => {
    const id = await t.accept({ attachments: [file(randomBytes(10))] });
    await t.ctx.db('email_attachments').delete();
    t.start();
    const { recipients } = await t.until(id, 'failed');
    expect(recipients[0]?.smtpResponse).toBe('The content of the email is no longer stored');
    expect(t.sink.messages).toHaveLength(0);
  });

  test('keeps the memory of the worker flat with 20 slots', async () => {
    const before = process.memoryUsage().rss;
    let peak = 0;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 20);
    const content = file(randomBytes(7 * MB));
    for (let sent = 0; sent < 20; sent += 1) await t.accept({ attachments: [content], to: [`p${sent}@example.com`] });
    t.start({ workerConcurrency: 20 });
    await t.sink.waitFor(20, 60_000);
    clearInterval(watch);
    expect(peak - before).toBeGreaterThan(0);
  }, 90_000);
});

describe('a worker that does not understand attachments', () => {
  /** The claim of version 0.1, which knows nothing of `needs`. */
  const OLD_CLAIM = `
    update deliveries set attempt = attempt + 1, claimed_at = now(), lease_until = now() + interval '60 seconds'
    where is_due and lease_until is null returning email_id`;

  test('gets no email that has any, and the email waits for one that does', async () => {
    const plain = await t.accept();
    const id = await t.accept({
      attachments: [file(randomBytes(10))],
      from: parseAddress(`${t.slug}@posthorn.localhost`),
    });
    const { rows } = await t.ctx.db.raw(OLD_CLAIM);
    expect(rows).toEqual([{ email_id: plain }]);
    t.start();
    await t.until(id, 'sent');
    expect(t.sink.messages[0]?.parsed.attachments).toHaveLength(1);
  });

  test('claims none that needs something newer than this version', async () => {
    const id = await t.accept();
    await t.ctx.db('deliveries').where({ email_id: id }).update({ needs: 0x4000 });
    const other = await t.accept();
    t.start();
    await t.until(other, 'sent');
    expect((await t.read(id)).status).toBe('queued');
    expect(t.sink.messages).toHaveLength(1);
  });
});
