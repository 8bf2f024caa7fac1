import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '@posthorn/domain';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { documentOf, runPosthorn } from './posthorn.js';

const NOBODY_LISTENS = '127.0.0.1:9';

describe('the command line', () => {
  let ctx: Context;
  let folder: string;
  beforeAll(async () => {
    ctx = await openTestContext();
    folder = mkdtempSync(join(tmpdir(), 'posthorn-cli-'));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await closeTestContext(ctx);
  });

  test.each([
    [['worksapce', 'list'], "unknown command 'worksapce'", 'workspace'],
    [['workspace', 'craete'], "unknown command 'craete'", 'create'],
    [['workspace', 'list', '--jsno'], "unknown option '--jsno'", '--json'],
  ])('suggests what %j may have meant', async (words, fault, suggestion) => {
    const { code, stderr } = await runPosthorn(words, {});
    expect([code, stderr]).toEqual([2, `posthorn: ${fault} (Did you mean ${suggestion}?)\n`]);
  });

  test('a missing option is wrong usage', async () => {
    const { code, stdout, stderr } = await runPosthorn(['key', 'create', '--json'], {});
    expect([code, stdout]).toEqual([2, '']);
    expect(JSON.parse(stderr)).toEqual({
      error: { code: 'usage', message: expect.stringContaining("'--workspace <id>' not specified") },
    });
  });

  test('a noun alone shows its verbs, as wrong usage', async () => {
    const { code, stderr } = await runPosthorn(['workspace'], {});
    expect(code).toBe(2);
    expect(stderr).toMatch(/Usage: posthorn workspace[\s\S]*create[\s\S]*limits/);
  });

  test('--help names the environment, the local service and the exit codes', async () => {
    const { code, stdout } = await runPosthorn(['--help'], {});
    expect(code).toBe(0);
    for (const word of ['DATABASE_URL', 'REDIS_URL', '.posthorn/runtime.json', '2 wrong usage'])
      expect(stdout).toContain(word);
  });

  test('without a database one line says what to set', async () => {
    const { code, stderr } = await runPosthorn(['workspace', 'list'], { cwd: folder });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^posthorn: DATABASE_URL is missing: .*\n$/)]);
  });

  test('an unreachable database is said in one line, without its password', async () => {
    const env = { DATABASE_URL: `postgres://user:s3cret@${NOBODY_LISTENS}/posthorn` };
    const { code, stderr } = await runPosthorn(['workspace', 'list'], { env });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^posthorn: The database cannot be reached: .*127\.0\.0\.1:9\n$/),
    ]);
    expect(stderr).not.toContain('s3cret');
  });

  test('the database of a local service in the current folder is found, and the environment wins over it', async () => {
    const cwd = join(folder, 'local');
    mkdirSync(join(cwd, '.posthorn'), { recursive: true });
    const addresses = { database_url: ctx.config.databaseUrl, redis_url: ctx.config.redisUrl };
    writeFileSync(join(cwd, '.posthorn/runtime.json'), JSON.stringify(addresses));
    expect(documentOf(await runPosthorn(['workspace', 'list', '--json'], { cwd }))).toEqual([]);
    const env = { DATABASE_URL: `postgres://${NOBODY_LISTENS}/posthorn` };
    expect((await runPosthorn(['workspace', 'list'], { cwd, env })).code).toBe(1);
  });

  test('db migrate is asked for by name, makes an empty database usable, and may be repeated', async () => {
    const url = new URL(ctx.config.databaseUrl);
    const name = `${url.pathname.slice(1)}_empty`;
    await ctx.db.raw('create database ?? template template0', [name]);
    url.pathname = name;
    const env = { DATABASE_URL: url.href };
    const early = await runPosthorn(['workspace', 'list'], { env });
    expect([early.code, early.stderr]).toEqual([
      1,
      'posthorn: The database is not up to date; run: posthorn db migrate\n',
    ]);
    const { applied } = documentOf(await runPosthorn(['db', 'migrate', '--json'], { env }));
    expect(applied).toContain('0001-initial-schema');
    expect(documentOf(await runPosthorn(['db', 'migrate', '--json'], { env }))).toEqual({ applied: [] });
    expect(documentOf(await runPosthorn(['workspace', 'list', '--json'], { env }))).toEqual([]);
    await ctx.db.raw('drop database ??', [name]);
  });

  test('production settings of the servers are not asked for', async () => {
    const env = { NODE_ENV: 'production', DATABASE_URL: ctx.config.databaseUrl };
    expect(documentOf(await runPosthorn(['workspace', 'list', '--json'], { env }))).toEqual([]);
  });

  test('queue status needs Redis, and says so', async () => {
    const env = { DATABASE_URL: ctx.config.databaseUrl };
    const missing = await runPosthorn(['queue', 'status'], { env, cwd: folder });
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringMatching(/^posthorn: REDIS_URL is missing/)]);
    const away = await runPosthorn(['queue', 'status'], { env: { ...env, REDIS_URL: `redis://${NOBODY_LISTENS}` } });
    expect([away.code, away.stderr]).toEqual([1, expect.stringMatching(/^posthorn: Redis cannot be reached: .*\n$/)]);
  });
});
