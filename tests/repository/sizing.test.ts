import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { costAt, type Load, size } from '../../bench/sizing/model.js';
import { readMeasured } from '../../bench/sizing/read-measured.js';
import { ROOT, read } from './files.js';

const measured = readMeasured();
const LOAD: Load = {
  emailsPerSecond: 200,
  recipients: 1,
  bodyKilobytes: 1.5,
  webhooks: 0,
  withKey: 1,
  retentionDays: { content: 30, email: 400 },
  leaseSeconds: 60,
};

const medianOf = (name: string, row: number, column: string): number =>
  JSON.parse(read(`bench/documented/${name}.json`)).rows[row][column].median;

test('the example in docs/sizing.md is what the command prints', async () => {
  const [, args = ''] = /^npm run --silent sizing -- (.+)$/m.exec(read('docs/sizing.md')) ?? [];
  expect(args).not.toBe('');
  const node = ['--import', 'tsx', '--conditions=@posthorn/source', join(ROOT, 'bench/sizing.ts'), ...args.split(' ')];
  const { stdout } = await promisify(execFile)(process.execPath, node, { cwd: ROOT });
  expect(read('docs/sizing.md')).toContain(`\`\`\`\n${stdout}\`\`\``);
}, 60_000);

test('at the rates of the benchmarks, an email costs what they measured', () => {
  const fixed = costAt(200, measured.costs);
  expect(fixed.api).toBeCloseTo(medianOf('webhook-cost', 0, 'API us'));
  expect(fixed.worker).toBeCloseTo(medianOf('webhook-cost', 0, 'delivering us'));
  expect(costAt(1_000_000, measured.costs).api).toBeCloseTo(medianOf('accept', 0, 'CPU us/request'));
});

test('an email costs more at a low load, and cores never fall when the load rises', () => {
  const rates = [0, 1, 10, 40, 100, 200, 1_000, 2_000, 10_000];
  const costs = rates.map((rate) => costAt(rate, measured.costs).postgres);
  expect(costs.toSorted((a, b) => b - a)).toEqual(costs);
  const cores = rates.map((emailsPerSecond) => size({ ...LOAD, emailsPerSecond }, measured).cores.postgres);
  expect(cores.toSorted((a, b) => a - b)).toEqual(cores);
  expect(cores[0]).toBe(0);
});

test('bodies, webhooks and days of retention add to what a load needs', () => {
  const base = size(LOAD, measured);
  const bodies = size({ ...LOAD, bodyKilobytes: 8 }, measured);
  expect(bodies.logBytesPerSecond).toBeGreaterThan(base.logBytesPerSecond + 200 * 6_000);
  expect(bodies.cores.worker).toBeGreaterThan(base.cores.worker);
  expect(size({ ...LOAD, webhooks: 1 }, measured).cores.worker).toBeGreaterThan(base.cores.worker);
  const year = size({ ...LOAD, retentionDays: { content: 60, email: 400 } }, measured);
  expect(year.diskBytes.content).toBeCloseTo(2 * base.diskBytes.content);
  expect(size({ ...LOAD, withKey: 0 }, measured).diskBytes.keys).toBe(0);
});
