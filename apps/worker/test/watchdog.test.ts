import { setTimeout as sleep } from 'node:timers/promises';
import { startWatchdog } from '../src/claiming/watchdog.js';
import { openTestWorker } from './open-test-worker.js';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

describe('the watchdog', () => {
  test('reports a stuck sweep once', async () => {
    const logged: string[] = [];
    await new Promise<void>((resolve) => {
      const recordingLog = { ...log, error: (_fields: object, event: string) => void logged.push(event) };
      startWatchdog({ sweep: { rounds: () => 7 }, log: recordingLog }, resolve, { tickMs: 10 });
    });
    expect(logged).toEqual(['sweep_stuck']);
  });

  test('does not report a sweep that keeps running while no relay is available', async () => {
    const t = await openTestWorker({ started: false });
    const { sweep } = t.start({ smtpUrls: ['smtp://127.0.0.1:9'] });
    if (!sweep) throw new Error('The worker delivers no emails');
    let isStuck = false;
    const watchdog = startWatchdog({ sweep, log }, () => (isStuck = true), { tickMs: 200 });
    await t.until(await t.accept(), 'deferred');
    const seen = sweep.rounds();
    while (sweep.rounds() < seen + 30) await sleep(20);
    expect(isStuck).toBe(false);
    watchdog.stop();
    await t.close();
  });
});
