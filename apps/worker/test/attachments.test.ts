import { randomBytes } from 'node:crypto';
import { type Attachment, toAttachmentContent } from '@posthorn/domain/attachments';
import { createReceiver, listPublishedRecords, type SmtpReply } from '@posthorn/testing';
import { openTestWorker, type TestWorker } from './open-test-worker.js';

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
    content: toAttachmentContent(bytes),
    ...changes,
  };
}

/** The content is read once for the signature, and again to be sent. The second read of its last part fails. */
async function failSecondRead(): Promise<void> {
  await t.ctx.db.raw(`
    alter table blob_parts rename to all_parts;
    create sequence reads;
    create function read_part(part smallint, lines text) returns text language plpgsql volatile as $$
    begin
      if part = 2 and nextval('reads') = 2 then raise exception 'unreadable'; end if;
      return lines;
    end $$;
    create view blob_parts as select workspace_id, sha256, part, read_part(part, lines) as lines from all_parts`);
}

/** Jest would compare megabytes byte by byte. */
async function expectFiles(...expected: Buffer[]): Promise<void> {
  const [message] = await t.sink.waitFor(1);
  const files = (message?.parsed.attachments ?? []).map(({ content }) => Buffer.from(content as ArrayBuffer));
  expect(files.map((bytes, index) => bytes.equals(expected[index] as Buffer))).toEqual(expected.map(() => true));
}

describe('an email with another one in 8bit', () => {
  const letter = Buffer.from(`Subject: Größe\r\n\r\n.dot\r\n  \t日本 \r\n\r\n`);
  const attachments = [
    file(randomBytes(3 * MB)),
    file(letter, { filename: 'a.eml', contentType: 'message/rfc822' }),
    file(randomBytes(10)),
  ];

  test.each([
    ['in memory', () => t.start()],
    ['while files are read again', () => t.startWithoutMemory()],
  ])('is delivered as it is, declared and signed, %s', async (_how, start) => {
    const id = await t.accept({ attachments });
    start();
    await t.until(id, 'sent');
    const [{ raw, envelope }] = t.sink.messages as [(typeof t.sink.messages)[number]];
    expect(
      raw.includes(
        Buffer.concat([Buffer.from('8bit\r\nContent-Disposition: attachment; filename="a.eml"\r\n\r\n'), letter]),
      ),
    ).toBe(true);
    const { dkim } = await createReceiver(await listPublishedRecords(t.ctx, []))(raw, envelope.from);
    expect(dkim.map(({ result }) => result)).toEqual(['pass']);
    const [attempt] = (await t.read(id)).attempts;
    expect(attempt?.conversation.join('\n')).toMatch(/C: MAIL FROM:<\S+>(?: SIZE=\d+)? BODY=8BITMIME/);
  });
});

describe('an email with attachments', () => {
  test.each([
    ['small ones', 10_000, () => t.start()],
    ['large ones', 3 * MB, () => t.start()],
    ['large ones that are read again while they are sent', 3 * MB, () => t.startWithoutMemory()],
  ])('is delivered with %s, byte for byte, and signed', async (_, size, start) => {
    const [one, other] = [randomBytes(size), randomBytes(size + 1)];
    const id = await t.accept({ attachments: [file(one), file(other, { filename: 'other.pdf' })] });
    start();
    await t.until(id, 'sent');
    await expectFiles(one, other);
    const [{ raw, envelope }] = t.sink.messages as [(typeof t.sink.messages)[number]];
    const { dkim } = await createReceiver(await listPublishedRecords(t.ctx, []))(raw, envelope.from);
    expect(dkim.map(({ result }) => result)).toEqual(['pass']);
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
    await expectFiles(bytes);
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
    await expectFiles(bytes);
  });

  test('is never sent in part if its content cannot be read while it is being sent', async () => {
    const bytes = randomBytes(3 * MB);
    const id = await t.accept({ attachments: [file(bytes)] });
    await failSecondRead();
    t.startWithoutMemory();
    const { attempts } = await t.until(id, 'deferred');
    expect(attempts.at(-1)).toMatchObject({ outcome: 'deferred', phase: 'render' });
    expect(t.sink.messages).toHaveLength(0);
    await t.until(id, 'sent');
    await expectFiles(bytes);
  });

  test('is read only once if there is memory for it', async () => {
    const bytes = randomBytes(3 * MB);
    const id = await t.accept({ attachments: [file(bytes)] });
    await failSecondRead();
    t.start();
    const { attempts } = await t.until(id, 'sent');
    expect(attempts).toHaveLength(1);
    await expectFiles(bytes);
  });

  test('fails if its attachments were deleted', async () => {
    const id = await t.accept({ attachments: [file(randomBytes(10))] });
    await t.ctx.db('email_attachments').delete();
    t.start();
    const { recipients } = await t.until(id, 'failed');
    expect(recipients[0]?.smtpResponse).toBe('The content of the email is no longer stored');
    expect(t.sink.messages).toHaveLength(0);
  });
});
