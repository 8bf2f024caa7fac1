import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { connectDatabase, SESSION_SETTINGS } from '@posthorn/platform/postgres';
import { expectThat, type Failure } from '../rig/failures.js';
import type { Pooler, Rig } from '../rig/open-rig.js';
import type { Scenario } from '../rig/scenario.js';
import { ROOT } from '../rig/servers.js';
import { untilAccepting, untilDelivering } from '../rig/until.js';
import { startPgBouncer, whyNoPgBouncer } from './start-pgbouncer.js';

const KILLS = 5;
/** A process that is refused exits much sooner. */
const MAX_START_MS = 30_000;
const TRANSACTION_MODE = { DATABASE_POOL_MODE: 'transaction' };

/** Kills PgBouncer under load, and then Postgres behind it. @returns seconds until mail flowed again, at most */
async function killUnderLoad(rig: Rig): Promise<string> {
  const pooler = rig.pooler as Pooler;
  await rig.whileSending(async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      await sleep(rig.random.between(500, 1_500));
      pooler.kill();
      await untilAccepting(rig);
    }
    await rig.servers.crashPostgres();
    await untilAccepting(rig);
  });
  await untilDelivering(rig);
  return (Math.max(...rig.recoveries) / 1_000).toFixed(1);
}

/** @returns what a process said before it refused to start; null if it started */
async function findRefusal(
  { servers }: Rig,
  databaseUrl: string,
  more: NodeJS.ProcessEnv = {},
): Promise<string | null> {
  const env = {
    PATH: process.env.PATH,
    PORT: '0',
    DATABASE_URL: databaseUrl,
    REDIS_URL: servers.redisUrl({ proxied: false }),
    ...more,
  };
  const options = { env, timeout: MAX_START_MS };
  return promisify(execFile)(process.execPath, [join(ROOT, 'apps/api/dist/main.js')], options).then(
    () => null,
    (error: { code?: unknown; stderr: string }) => (error.code === 1 ? error.stderr.trim() : null),
  );
}

function expectRefusal(refusal: string | null, words: RegExp): Failure[] {
  return expectThat(refusal !== null && words.test(refusal), `a process that must be refused said: ${refusal}`);
}

async function changeRole(postgresUrl: string, change: string): Promise<void> {
  const db = connectDatabase(postgresUrl, { poolSize: 1 });
  await db.raw(`alter role current_user ${change}`);
  await db.destroy();
}

async function refuseTransactionMode(rig: Rig): Promise<Failure[]> {
  const postgresUrl = rig.servers.postgresUrl({ proxied: false });
  const pooler = await startPgBouncer(postgresUrl, { mode: 'transaction', release: 'bookworm' });
  try {
    return expectRefusal(await findRefusal(rig, pooler.url), /in transaction mode without prepared statements/);
  } finally {
    await pooler.close();
  }
}

async function refuseMissingSettings(rig: Rig): Promise<Failure[]> {
  const pooler = rig.pooler as Pooler;
  await changeRole(rig.servers.postgresUrl({ proxied: false }), 'reset all');
  // Otherwise, PgBouncer would use connections with the old settings.
  pooler.kill();
  await untilAccepting(rig);
  return expectRefusal(
    await findRefusal(rig, pooler.url, TRANSACTION_MODE),
    /set statement_timeout = 5000;.* Then type RECONNECT/,
  );
}

export const pgBouncerDrills: readonly Scenario[] = [
  {
    id: 'pgbouncer',
    fault: 'PgBouncer 1.18 in session mode is killed under load, and then Postgres behind it',
    options: {
      apis: 2,
      workers: 2,
      startPooler: (url) => startPgBouncer(url, { mode: 'session', release: 'bookworm' }),
    },
    skip: whyNoPgBouncer,
    async run(rig) {
      const seconds = await killUnderLoad(rig);
      return {
        figures: `${KILLS} kills, accepting again after at most ${seconds} s; transaction mode refused`,
        failures: await refuseTransactionMode(rig),
      };
    },
  },
  {
    id: 'pgbouncer-transaction',
    fault: 'PgBouncer 1.24 in transaction mode is killed under load, and then Postgres behind it',
    skip: whyNoPgBouncer,
    options: {
      apis: 2,
      workers: 2,
      env: TRANSACTION_MODE,
      async startPooler(url) {
        for (const [name, value] of Object.entries(SESSION_SETTINGS)) await changeRole(url, `set ${name} = ${value}`);
        return startPgBouncer(url, { mode: 'transaction', release: 'trixie' });
      },
    },
    async run(rig) {
      const seconds = await killUnderLoad(rig);
      return {
        figures: `${KILLS} kills, accepting again after at most ${seconds} s; missing limits refused`,
        failures: await refuseMissingSettings(rig),
      };
    },
  },
];
