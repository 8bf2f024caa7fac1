import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@posthorn/platform/logs';
import { type RawSmtpServer, sayAndCut, startRawSmtpServer } from '@posthorn/testing';
import { openTestWorker, type TestWorker } from '../open-test-worker.js';

const SLOTS = 5;

let t: TestWorker;
let server: RawSmtpServer;
let isRefusing: boolean;
let failures: number;

beforeEach(async () => {
  isRefusing = true;
  failures = 0;
  server = await startRawSmtpServer((moment) =>
    moment === 'CONNECT' && isRefusing ? sayAndCut('554 Not today') : undefined,
  );
  const ignore = () => {};
  const warn = (_: object, event: string) => {
    if (event === 'relay_failed') failures += 1;
  };
  const log: Log = { debug: ignore, info: ignore, warn, error: ignore };
  t = await openTestWorker({ config: { smtpUrls: [server.url], workerConcurrency: SLOTS }, started: false, log });
});

afterEach(async () => {
  await t.close();
  await server.close();
});

async function untilFailures(count: number): Promise<void> {
  while (failures < count) await sleep(10);
}

async function claims(): Promise<number> {
  const { rows } = await t.ctx.db.raw('select sum(attempt)::int as claims from deliveries');
  return rows[0].claims;
}

describe('while no relay works', () => {
  test('a worker claims one email at a time, and all are sent afterwards', async () => {
    const ids = await Promise.all(Array.from({ length: SLOTS * 4 }, () => t.accept()));
    t.start();
    await untilFailures(3);
    const more = await Promise.all(Array.from({ length: SLOTS }, () => t.accept()));
    await untilFailures(4);
    // The first failure may involve an email in every slot. Each later failure involves only one email.
    expect(await claims()).toBeLessThan(SLOTS * 2);
    isRefusing = false;
    for (const id of [...ids, ...more]) await t.until(id, 'sent');
    expect(server.messages).toHaveLength(SLOTS * 5);
  });

  test('an email keeps one attempt that says why it waits, however often it is claimed', async () => {
    const id = await t.accept();
    t.start();
    await untilFailures(3);
    const { attempts } = await t.until(id, 'deferred');
    expect(attempts).toHaveLength(1);
    expect(attempts[0]).toMatchObject({ outcome: 'route_fault', phase: 'connect', route: 'env-1' });
    expect(attempts[0]?.conversation).toEqual(['S: 554 Not today']);
    isRefusing = false;
    const email = await t.until(id, 'sent');
    expect(email.attempts.map(({ outcome }) => outcome)).toEqual(['route_fault', 'sent']);
  });
});
