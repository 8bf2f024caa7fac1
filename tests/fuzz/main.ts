import { parseArgs } from 'node:util';
import { openStack } from '../../bench/support/stack.js';
import { type FuzzReport, fuzz } from './fuzz.js';

/** npm run test:fuzz -- --seed 7 --requests 100000 */
const { values } = parseArgs({ options: { seed: { type: 'string' }, requests: { type: 'string' } } });
const seed = Number(values.seed ?? Date.now() % 1_000_000_000);
const requests = Number(values.requests ?? 100_000);

print(`seed ${seed} (repeat with --seed ${seed}), ${requests} requests`);
const stack = await openStack();
const started = Date.now();
try {
  const report = await fuzz(stack.ctx, { seed, requests });
  show(report);
  process.exitCode = report.failures.length === 0 ? 0 : 1;
} finally {
  await stack.close();
}

function show({ byOperation, byStatus, accepted, memoryMb, failures }: FuzzReport): void {
  for (const [operation, count] of [...byOperation].sort()) print(`${String(count).padStart(8)}  ${operation}`);
  print(
    `status: ${[...byStatus]
      .sort()
      .map(([status, count]) => `${status} x ${count}`)
      .join(', ')}`,
  );
  print(`accepted: ${[...accepted].map(([kind, count]) => `${kind} x ${count}`).join(', ')}`);
  print(
    `memory of the API process: ${memoryMb[0]} MB at the start, ${Math.max(...memoryMb)} MB peak, ${memoryMb.at(-1)} MB at the end`,
  );
  for (const failure of failures.slice(0, 20)) print(`FAILED ${failure}`);
  print(
    `${failures.length} failures in ${requests} requests, ${Math.round((Date.now() - started) / 1_000)} s (repeat with --seed ${seed})`,
  );
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
