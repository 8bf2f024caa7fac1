import { setTimeout as sleep } from 'node:timers/promises';
import { limitLog } from '@posthorn/platform/logs';

function openLog() {
  const lines: Array<{ event: string; fields: object }> = [];
  const record = (fields: object, event: string) => void lines.push({ event, fields });
  const recorder = { debug: record, info: record, warn: record, error: record };
  const log = limitLog(recorder, { maxLines: 3, windowMs: 200 });
  return { log, lines };
}

describe('limitLog', () => {
  test('leaves out repeated warnings and errors, and later reports how many', async () => {
    const { log, lines } = openLog();
    for (let i = 0; i < 50; i += 1) log.error({ i }, 'outcome_lost');
    expect(lines).toHaveLength(3);
    await sleep(250);
    log.error({ i: 50 }, 'outcome_lost');
    expect(lines.at(-1)).toEqual({ event: 'outcome_lost', fields: { i: 50, left_out: 47 } });
  });

  test('counts each event separately and does not limit info', () => {
    const { log, lines } = openLog();
    for (let i = 0; i < 10; i += 1) log.warn({}, 'one');
    log.warn({}, 'other');
    expect(lines.map(({ event }) => event)).toEqual(['one', 'one', 'one', 'other']);
    for (let i = 0; i < 10; i += 1) log.info({}, 'started');
    expect(lines).toHaveLength(14);
  });
});
