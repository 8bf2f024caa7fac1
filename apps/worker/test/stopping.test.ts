import { setTimeout as sleep } from 'node:timers/promises';
import { type RawSmtpServer, say, startRawSmtpServer } from '@posthorn/testing';
import { stopWithin } from '../src/worker.js';
import { openTestWorker, type TestWorker } from './open-test-worker.js';

const IN_HAND = 18;

let t: TestWorker;
let server: RawSmtpServer;
let replies: Array<() => void>;
let isHanging: boolean;

beforeEach(async () => {
  replies = [];
  isHanging = true;
  server = await startRawSmtpServer((moment) =>
    moment === 'DOT' && isHanging ? (socket) => replies.push(() => say('250 OK')(socket)) : undefined,
  );
  t = await openTestWorker({
    config: { smtpUrls: [server.url], workerConcurrency: 20, leaseSeconds: 1 },
    started: false,
  });
});

afterEach(async () => {
  server.cutAll();
  await t.close();
  await server.close();
});

async function sendHeld(count: number): Promise<string[]> {
  const ids = await Promise.all(Array.from({ length: count }, () => t.accept()));
  while (replies.length < count) await sleep(10);
  return ids;
}

const readOutcomes = async (id: string) => (await t.read(id)).attempts.map(({ outcome }) => outcome);

describe('a worker that is told to stop', () => {
  test('waits for the replies to all emails in hand and leaves none ambiguous', async () => {
    const worker = t.start();
    const ids = await sendHeld(IN_HAND);
    const stopping = stopWithin(worker, 20_000);
    const late = await t.accept();
    await sleep(1_500);
    for (const reply of replies) reply();
    expect(await stopping).toBe(true);
    for (const id of ids) expect(await readOutcomes(id)).toEqual(['sent']);
    expect((await t.read(late)).status).toBe('queued');
    expect(server.messages).toHaveLength(IN_HAND);
  });

  test('stops waiting at its time limit, and another worker sends the email after an ambiguous attempt', async () => {
    const worker = t.start();
    const [id = ''] = await sendHeld(1);
    expect(await stopWithin(worker, 300)).toBe(false);
    // From here on, this worker behaves as if its process had ended.
    worker.ctx.leases.stop();
    isHanging = false;
    t.start();
    await t.until(id, 'sent');
    expect(await readOutcomes(id)).toEqual(['ambiguous', 'sent']);
    const ids = server.messages.map(({ raw }) => /^Message-ID: (.*)$/im.exec(raw)?.[1]);
    expect(ids).toEqual([`<${id}@posthorn.localhost>`, `<${id}@posthorn.localhost>`]);
  });
});
