import { setTimeout as sleep } from 'node:timers/promises';
import { checkWritable, connectDatabase, type Db } from '@posthorn/platform/postgres';
import { type OwnPostgres, openPostgres } from '../../../domain/test/open-postgres.js';

let postgres: OwnPostgres;
let db: Db;

beforeAll(async () => {
  postgres = await openPostgres();
  await postgres.query('create table numbers (n int)');
});

beforeEach(() => {
  db = connectDatabase(postgres.url, { poolSize: 2 });
});

afterEach(async () => {
  await postgres.set('default_transaction_read_only', 'off');
  await postgres.set('synchronous_standby_names', '');
  await db.destroy();
});

afterAll(() => postgres.close());

async function untilWritability(expected: string, client: Db): Promise<void> {
  for (let tries = 0; (await checkWritable(client)) !== expected; tries += 1) {
    if (tries > 200) throw new Error(`The server never became ${expected}`);
    await sleep(50);
  }
}

describe('checkWritable', () => {
  test('reports a server as writable, even if commits do not wait for its standbys', async () => {
    expect(await checkWritable(db)).toBe('writable');
    await db.raw("set synchronous_commit = 'local'");
    await postgres.set('synchronous_standby_names', 'missing');
    expect(await checkWritable(db)).toBe('writable');
  });

  test('notices on an open connection when the server becomes read-only and when it becomes writable again', async () => {
    expect(await checkWritable(db)).toBe('writable');
    await postgres.set('default_transaction_read_only', 'on');
    await untilWritability('read_only', db);
    await postgres.set('default_transaction_read_only', 'off');
    await untilWritability('writable', db);
  });

  test('makes the pool leave a read-only server, even if the process only reads', async () => {
    const backend = async () => (await db.raw('select pg_backend_pid() as pid')).rows[0].pid;
    await postgres.set('default_transaction_read_only', 'on');
    const before = await backend();
    expect(await backend()).toBe(before);
    expect(await checkWritable(db)).toBe('read_only');
    expect(await backend()).not.toBe(before);
  });

  test.each(['missing', 'FIRST 1 (missing)', 'ANY 2 (missing, gone)', '1 (missing)', '*'])(
    'notices a lost synchronous standby before any commit waits for it: %s',
    async (names) => {
      await postgres.set('synchronous_standby_names', names);
      await untilWritability('standby_lost', db);
    },
  );

  test('recognizes a lost standby by a waiting commit if the database user cannot see standbys', async () => {
    await postgres.query("create role plain login password 'plain'");
    await postgres.query('grant insert on numbers to plain');
    const url = Object.assign(new URL(postgres.url), { username: 'plain', password: 'plain' }).href;
    const plain = connectDatabase(url, { poolSize: 2 });
    await postgres.set('synchronous_standby_names', 'missing');
    expect(await checkWritable(plain)).toBe('writable');
    const waiting = plain.raw('insert into numbers values (1)').then();
    await untilWritability('standby_lost', plain);
    await postgres.set('synchronous_standby_names', '');
    await waiting;
    expect(await checkWritable(plain)).toBe('writable');
    await plain.destroy();
  });

  test('reports a server as unreachable if it does not answer', async () => {
    const down = connectDatabase('postgres://127.0.0.1:1/posthorn', { poolSize: 1 });
    expect(await checkWritable(down)).toBe('unreachable');
    await down.destroy();
  });

  test('reports why a server that must be writable was rejected', async () => {
    await postgres.set('default_transaction_read_only', 'on');
    const strict = connectDatabase(`${postgres.url}?target_session_attrs=read-write`, { poolSize: 1 });
    expect(await checkWritable(strict)).toBe('read_only');
    await strict.destroy();
  });
});
