import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '@posthorn/platform';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { parseOutput, posthornWith, runPosthorn } from './posthorn.js';

/** No server listens on the discard port. */
const UNUSED_ADDRESS = '127.0.0.1:9';

describe('the command line', () => {
  let ctx: Context;
  let folder: string;
  beforeAll(async () => {
    ctx = await openTestContext({ ownDatabase: 'it expects a database without workspaces' });
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
  ])('a typo in %j gets a suggestion', async (args, fault, suggestion) => {
    const { code, stderr } = await posthornWith({})(...args);
    expect([code, stderr]).toEqual([2, `posthorn: ${fault} (Did you mean ${suggestion}?)\n`]);
  });

  test('a missing required option is a usage error', async () => {
    const { code, stdout, stderr } = await posthornWith({})('key', 'create', '--json');
    expect([code, stdout]).toEqual([2, '']);
    expect(JSON.parse(stderr)).toEqual({
      error: { code: 'usage', message: expect.stringContaining("'--workspace <id>' not specified") },
    });
  });

  test('a command group without a subcommand prints its help and exits with 2', async () => {
    const { code, stderr } = await runPosthorn(['workspace'], {});
    expect(code).toBe(2);
    expect(stderr).toMatch(/Usage: posthorn workspace[\s\S]*create[\s\S]*limits/);
  });

  test('--version prints the version', async () => {
    const { code, stdout } = await runPosthorn(['--version'], {});
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
  });

  test('--help documents the environment, npm start and the exit codes', async () => {
    const { code, stdout } = await runPosthorn(['--help'], {});
    expect(code).toBe(0);
    for (const word of ['DATABASE_URL', 'REDIS_URL', '.posthorn/runtime.json', '2  usage error'])
      expect(stdout).toContain(word);
  });

  test('a missing DATABASE_URL is reported on one line', async () => {
    const { code, stderr } = await runPosthorn(['workspace', 'list'], { cwd: folder });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^posthorn: DATABASE_URL is missing\. Set it to a URL that starts with postgres:.*\n$/),
    ]);
  });

  test('an unreachable database is reported on one line, without its password', async () => {
    const env = { DATABASE_URL: `postgres://user:s3cret@${UNUSED_ADDRESS}/posthorn` };
    const { code, stderr } = await posthornWith(env)('workspace', 'list');
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^posthorn: Cannot connect to the database: .*127\.0\.0\.1:9\n$/),
    ]);
    expect(stderr).not.toContain('s3cret');
  });

  test('the npm start database in the current folder is used unless DATABASE_URL is set', async () => {
    const cwd = join(folder, 'local');
    mkdirSync(join(cwd, '.posthorn'), { recursive: true });
    const addresses = { database_url: ctx.config.databaseUrl, redis_url: ctx.config.redisUrl };
    writeFileSync(join(cwd, '.posthorn/runtime.json'), JSON.stringify(addresses));
    expect(parseOutput(await runPosthorn(['workspace', 'list', '--json'], { cwd }))).toEqual([]);
    const env = { DATABASE_URL: `postgres://${UNUSED_ADDRESS}/posthorn` };
    expect((await runPosthorn(['workspace', 'list'], { cwd, env })).code).toBe(1);
  });

  test('other commands fail until db migrate has prepared the database, and db migrate can be rerun', async () => {
    const url = new URL(ctx.config.databaseUrl);
    const name = `${url.pathname.slice(1)}_empty`;
    await ctx.db.raw('create database ?? template template0', [name]);
    url.pathname = name;
    const env = { DATABASE_URL: url.href };
    const posthorn = posthornWith(env);
    const early = await posthorn('workspace', 'list');
    expect([early.code, early.stderr]).toEqual([
      1,
      'posthorn: The database schema is out of date. Run: posthorn db migrate\n',
    ]);
    const { applied } = parseOutput(await posthorn('db', 'migrate', '--json'));
    expect(applied).toContain('0001-schema');
    expect(parseOutput(await posthorn('db', 'migrate', '--json'))).toEqual({ applied: [] });
    expect(parseOutput(await posthorn('workspace', 'list', '--json'))).toEqual([]);
    await ctx.db.raw('drop database ??', [name]);
  });

  test('NODE_ENV=production does not require the settings of the API and the worker', async () => {
    const env = { NODE_ENV: 'production', DATABASE_URL: ctx.config.databaseUrl };
    expect(parseOutput(await posthornWith(env)('workspace', 'list', '--json'))).toEqual([]);
  });

  test('queue status fails with a one-line error if REDIS_URL is missing', async () => {
    const missing = await runPosthorn(['queue', 'status'], {
      env: { DATABASE_URL: ctx.config.databaseUrl },
      cwd: folder,
    });
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringMatching(/^posthorn: REDIS_URL is missing/)]);
  });

  test('erasure repeat fails with a one-line error if Redis is unreachable', async () => {
    const unreachable = await posthornWith({
      DATABASE_URL: ctx.config.databaseUrl,
      REDIS_URL: `redis://${UNUSED_ADDRESS}`,
    })('erasure', 'repeat');
    expect([unreachable.code, unreachable.stderr]).toEqual([
      1,
      expect.stringMatching(/^posthorn: Cannot connect to Redis: .*\n$/),
    ]);
  });
});
