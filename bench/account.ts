import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openContext } from '@posthorn/platform';
import { readEnv, toConfig } from '@posthorn/platform/config';
import { ACCOUNT_SETTINGS, readPlans, readStatements, startAccount } from './support/account-postgres.js';
import { PROFILE_ARGS, startProfile, stopProfile } from './support/account-process.js';
import type { Child } from './support/child.js';
import { usEach } from './support/cpu.js';
import { startSink } from './support/smtp-sink.js';
import { type Row, table } from './support/table.js';
import { openVersion } from './support/version.js';

/**
 * Shows where the CPU time of accepting and delivering an email goes: by process, by file or package, and by statement
 * and its parts. Profiles and plans cost time themselves, so compare the parts with each other, and use bench:compare to
 * compare versions. CHECKOUT is a folder in which `npm ci && npm run build` has run; by default, this one.
 */
const CHECKOUT = resolve(process.env.CHECKOUT ?? join(import.meta.dirname, '..'));
const SECONDS = Number(process.env.SECONDS ?? 8);
const CONNECTIONS = Number(process.env.CONNECTIONS ?? 50);
const WARM_UP_ROUNDS = 3;
/** Parts that take less are added up. */
const MIN_SHARE = 0.01;

const sink = await startSink();
const version = await openVersion(CHECKOUT, { smtpUrl: sink.url, settings: ACCOUNT_SETTINGS, nodeArgs: PROFILE_ARGS });
const load = { seconds: SECONDS, connections: CONNECTIONS };
const { db, servers } = version;
const { redis } = openContext(toConfig(readEnv({ ...servers.env, LOG_LEVEL: 'silent' }), 'api'), 'bench');

for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
  await version.accept(load);
  await version.drain();
  await version.vacuum();
}
let emails = 0;
await account('accepting', version.api, async () => {
  ({ emails } = await version.accept(load));
  return emails;
});
await account('delivering', version.worker, async () => {
  await version.drain();
  return emails;
});
redis.disconnect();
await version.close();
await sink.stop();

/** Prints what the work of one flow costs per email. @param work returns the number of emails */
async function account(flow: string, process: Child, work: () => Promise<number>): Promise<void> {
  await startAccount(db);
  await redis.config('RESETSTAT');
  const [logBytes, walBefore, before] = [statSync(servers.postgresLog).size, await readWal(), version.cpu()];
  process.process.kill('SIGCONT');
  await startProfile(process);
  const count = await work();
  const parts = await stopProfile(process);
  const cpu = usEach(before, version.cpu(), count);
  const walBytes = ((await readWal()) - walBefore) / count;
  print(`${flow}: ${count} emails, ${Math.round(walBytes)} bytes of WAL per email; CPU time per email in us`, [
    Object.fromEntries(Object.entries(cpu).map(([name, us]) => [name, us.toFixed(0)])),
  ]);
  print(`${flow}: the process, without its idle time`, toPartRows(parts, count));
  print(`${flow}: statements`, await readStatements(db, count));
  print(`${flow}: parts of plans, with the time that measuring takes`, readPlans(servers.postgresLog, logBytes));
  print(`${flow}: Redis`, toRedisRows(await redis.info('commandstats'), count));
}

async function readWal(): Promise<number> {
  const { rows } = await db.raw(`select pg_current_wal_lsn() - '0/0'::pg_lsn as bytes`);
  return Number(rows[0].bytes);
}

function toPartRows(parts: ReadonlyMap<string, number>, count: number): Row[] {
  const total = [...parts.values()].reduce((sum, us) => sum + us, 0);
  const large = [...parts].filter(([, us]) => us >= total * MIN_SHARE);
  const rest = total - large.reduce((sum, [, us]) => sum + us, 0);
  const rows = [...large.sort(([, one], [, two]) => two - one), ['the rest', rest] as const, ['total', total] as const];
  return rows.map(([part, us]) => ({ part, us: (us / count).toFixed(1) }));
}

function toRedisRows(stats: string, count: number): Row[] {
  const commands = [...stats.matchAll(/cmdstat_(\S+?):calls=(\d+),usec=(\d+)/g)];
  return commands
    .sort(([, , , one], [, , , two]) => Number(two) - Number(one))
    .slice(0, 8)
    .map(([, command = '', calls, us]) => ({
      command,
      'calls per email': (Number(calls) / count).toFixed(3),
      us: (Number(us) / count).toFixed(1),
    }));
}

function print(title: string, rows: readonly Row[]): void {
  globalThis.process.stdout.write(`\n${title}\n\n${table(rows)}\n`);
}
