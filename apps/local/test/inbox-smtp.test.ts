import { readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import {
  closeTestInbox,
  compose,
  listIds,
  openTestInbox,
  sendMail,
  sendRequest,
  type TestInbox,
} from './inbox-client.js';

let inbox: TestInbox;

beforeEach(async () => {
  inbox = await openTestInbox();
});

afterEach(() => closeTestInbox(inbox));

async function restart(): Promise<void> {
  await inbox.close();
  inbox = await openTestInbox({ folder: inbox.folder });
}

async function subjects(): Promise<string[]> {
  const { body } = await sendRequest(inbox, '/api/v1/messages?limit=1000');
  return JSON.parse(body).messages.map(({ Subject }: { Subject: string }) => Subject);
}

test('a message is accepted without login and stored byte for byte', async () => {
  const raw = compose({ Subject: 'Hello' }, 'A line.\n.A line that begins with a dot.\n..And two.');
  const [reply] = await sendMail(inbox, { raw });
  const [id] = await listIds(inbox);
  const source = await sendRequest(inbox, `/api/v1/message/${id}/raw`);

  expect(reply).toBe(`250 OK: stored as ${id}`);
  expect(source.body).toBe(`${raw.replaceAll('\n', '\r\n')}\r\n`);
});

test('one connection can send several messages', async () => {
  await sendMail(inbox, { raw: compose({ Subject: 'First' }) }, { raw: compose({ Subject: 'Second' }) });

  expect(await subjects()).toEqual(['Second', 'First']);
});

test('messages that arrive simultaneously over many connections are all stored', async () => {
  const numbers = Array.from({ length: 20 }, (_, index) => index);
  await Promise.all(numbers.map((number) => sendMail(inbox, { raw: compose({ Subject: `${number}` }) })));

  expect((await subjects()).map(Number).sort((a, b) => a - b)).toEqual(numbers);
});

test('a message of 25 MB is stored and a larger one is rejected', async () => {
  const megabyte = `${'x'.repeat(998)}\n`.repeat(1048);
  const replies = await sendMail(inbox, { raw: megabyte.repeat(24) }, { raw: megabyte.repeat(26) });

  expect(replies.map((reply) => reply.slice(0, 3))).toEqual(['250', '552']);
  expect(await listIds(inbox)).toHaveLength(1);
});

test('messages, envelopes and read marks survive a restart', async () => {
  const mail = { from: 'bounce@acme.example', to: ['ada@example.com', 'hidden@example.com'] };
  await sendMail(inbox, { ...mail, raw: compose({ Subject: 'Kept' }) }, { raw: compose({ Subject: 'Unread' }) });
  const [, id] = await listIds(inbox);
  await sendRequest(inbox, `/api/v1/message/${id}`);
  const before = await sendRequest(inbox, '/api/v1/messages');
  await restart();

  expect(JSON.parse(before.body)).toMatchObject({ unread: 1, messages: [{ Read: false }, { Read: true }] });
  expect((await sendRequest(inbox, '/api/v1/messages')).body).toBe(before.body);
  expect(JSON.parse((await sendRequest(inbox, `/api/v1/message/${id}`)).body)).toMatchObject({
    ReturnPath: 'bounce@acme.example',
    Bcc: [{ Address: 'ada@example.com' }, { Address: 'hidden@example.com' }],
  });
});

test('the newest 500 messages are kept and the files of older ones are deleted', async () => {
  const mails = Array.from({ length: 503 }, (_, index) => ({ raw: compose({ Subject: `${index + 1}` }) }));
  await sendMail(inbox, ...mails);
  const kept = Array.from({ length: 500 }, (_, index) => `${503 - index}`);

  expect(await subjects()).toEqual(kept);
  expect(await readdir(inbox.folder)).toHaveLength(1000);
  await restart();
  expect(await subjects()).toEqual(kept);
});

test('damaged files are skipped', async () => {
  await sendMail(
    inbox,
    ...['Whole', 'No envelope', 'No message', 'Empty envelope'].map((Subject) => ({ raw: compose({ Subject }) })),
  );
  const [emptyEnvelope, noMessage, noEnvelope] = await listIds(inbox);
  await truncate(join(inbox.folder, `${emptyEnvelope}.json`));
  await rm(join(inbox.folder, `${noMessage}.eml`));
  await writeFile(join(inbox.folder, `${noEnvelope}.json`), '{"from":7,"to":"nobody"}');
  await writeFile(join(inbox.folder, 'notes.json'), '{}');
  await restart();

  expect(await subjects()).toEqual(['Whole']);
});

test('a message whose file was deleted returns 404, and the list still works', async () => {
  await sendMail(inbox, { raw: compose({ Subject: 'Gone' }) });
  const [id] = await listIds(inbox);
  await rm(join(inbox.folder, `${id}.eml`));

  expect((await sendRequest(inbox, '/api/v1/messages')).status).toBe(200);
  expect((await sendRequest(inbox, `/api/v1/message/${id}`)).status).toBe(404);
});

test('a message that cannot be parsed is shown as source', async () => {
  const depth = Array.from(
    { length: 300 },
    (_, index) => `Content-Type: multipart/mixed; boundary=b${index}\n\n--b${index}`,
  );
  await sendMail(inbox, { raw: depth.join('\n') }, { raw: '\u0000\u0001 no headers' });
  const ids = await listIds(inbox);
  const answers = await Promise.all(ids.map((id) => sendRequest(inbox, `/api/v1/message/${id}`)));

  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(JSON.parse(answers[1]?.body ?? '')).toMatchObject({
    Subject: '(unreadable message)',
    Text: expect.stringContaining('boundary=b299'),
  });
});

test('if a port is in use, the inbox logs it and uses the next free port', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const address = taken.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const lines: string[] = [];
  const second = await openTestInbox({ httpPort: port, log: (line) => lines.push(line) });

  expect(Number(new URL(second.url).port)).toBeGreaterThan(port);
  expect(lines).toEqual([`Port ${port} is in use, so the inbox uses ${new URL(second.url).port}.`]);
  await closeTestInbox(second);
  taken.close();
});
