import type { Context } from '@posthorn/platform';
import { connectDatabase, type Db, isUnavailable, isWrongLogin } from '@posthorn/platform/postgres';
import { closeTestContext, openTestContext } from '@posthorn/testing';

let ctx: Context;
let maintenance: Db;
const role = `refused_${process.pid}`;

beforeAll(async () => {
  ctx = await openTestContext({ ownDatabase: 'it makes the database refuse connections' });
  maintenance = connectDatabase(withPath('postgres'), { poolSize: 1 });
  await maintenance.raw(`create role ${role} login password 'right'`);
});

afterAll(async () => {
  await maintenance.raw(`drop role ${role}`);
  await maintenance.destroy();
  await closeTestContext(ctx);
});

function withPath(name: string): string {
  return Object.assign(new URL(ctx.config.databaseUrl), { pathname: `/${name}` }).href;
}

const databaseName = () => new URL(ctx.config.databaseUrl).pathname.slice(1);

function asRole(password = 'right'): string {
  return Object.assign(new URL(ctx.config.databaseUrl), { username: role, password }).href;
}

/** The error of a new connection, what it counts as, and what it counts as in a list of one error per host. */
async function connect(url: string) {
  const db = connectDatabase(url, { poolSize: 1 });
  const error = await db.raw('select 1').then(
    () => null,
    (reason) => reason,
  );
  await db.destroy();
  const perHost = new AggregateError([error]);
  return [error?.code, isUnavailable(error), isUnavailable(perHost), isWrongLogin(error), isWrongLogin(perHost)];
}

const setTo = (change: string) => maintenance.raw(`alter database ?? ${change}`, [databaseName()]);

test('a database that takes no connections is unavailable', async () => {
  await setTo('allow_connections false');
  const found = await connect(ctx.config.databaseUrl);
  await setTo('allow_connections true');
  expect(found).toEqual(['55000', true, true, false, false]);
});

test('a database that takes no more connections of a role is unavailable', async () => {
  await setTo('connection limit 0');
  const found = await connect(asRole());
  await setTo('connection limit -1');
  expect(found).toEqual(['53300', true, true, false, false]);
});

test('a role that may not log in is refused for now', async () => {
  await maintenance.raw(`alter role ${role} nologin`);
  const found = await connect(asRole());
  await maintenance.raw(`alter role ${role} login`);
  expect(found).toEqual(['28000', true, true, false, false]);
});

test('a role without the right to connect is refused for now, but a process that starts with it stops', async () => {
  await maintenance.raw('revoke connect on database ?? from public', [databaseName()]);
  const found = await connect(asRole());
  await maintenance.raw('grant connect on database ?? to public', [databaseName()]);
  expect(found).toEqual(['42501', true, true, true, true]);
});

test('a wrong password and a missing database may be changed at this moment, but a process that starts with them stops', async () => {
  expect(await connect(asRole('wrong'))).toEqual(['28P01', true, true, true, true]);
  expect(await connect(withPath('no_such_database'))).toEqual(['3D000', true, true, true, true]);
});

test('a statement with the same SQLSTATEs is not refused for now', async () => {
  for (const code of ['55000', '42501', '3D000']) {
    const statement = `do $$ begin raise exception using errcode = '${code}'; end $$`;
    const error = await ctx.db.raw(statement).catch((reason: unknown) => reason);
    expect([error, isUnavailable(error), isWrongLogin(error)]).toEqual([
      expect.objectContaining({ code }),
      false,
      false,
    ]);
  }
});
