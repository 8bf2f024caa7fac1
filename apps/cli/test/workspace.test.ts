import { findWorkspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { parseOutput, posthornFor } from './posthorn.js';

describe('posthorn workspace', () => {
  let ctx: Context;
  let posthorn: ReturnType<typeof posthornFor>;
  beforeAll(async () => {
    ctx = await openTestContext({ ownDatabase: 'the command lists all workspaces' });
    posthorn = posthornFor(ctx);
  });
  afterAll(() => closeTestContext(ctx));

  const create = (email: string, ...options: string[]) =>
    posthorn(
      'workspace',
      'create',
      '--name',
      'Acme',
      '--email',
      email,
      '--password',
      'correct horse',
      '--json',
      ...options,
    );

  test('create adds a workspace on the Free plan with an owner', async () => {
    const output = parseOutput(await create('ada@example.com'));
    expect(output).toEqual({ workspace_id: expect.any(String), user_id: expect.any(String) });
    const workspace = await findWorkspace(ctx.db, output.workspace_id, 60);
    expect(workspace).toMatchObject({ name: 'Acme', allowance: { plan: { id: 'free' } }, unverifiedOwner: null });
  });

  test('create fails with a conflict if the email address already has an account', async () => {
    await create('twice@example.com');
    const { code, stdout, stderr } = await create('Twice@example.com');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({
      error: { code: 'conflict', message: expect.stringContaining('already has an account') },
    });
  });

  test('create rejects a short password with a usage error and creates nothing', async () => {
    const { code, stderr } = await create('eve@example.com', '--password', 'short');
    expect(code).toBe(2);
    expect(JSON.parse(stderr).error).toEqual({
      code: 'usage',
      message: expect.stringMatching(/--password.*10 to 200 characters/),
    });
    expect(await ctx.db('users').where({ email: 'eve@example.com' })).toEqual([]);
  });

  test('limits sets limits, removes caps and restores defaults', async () => {
    const { workspace_id: id } = parseOutput(await create('limits@example.com', '--plan', 'pro'));
    const limits = async (...options: string[]) =>
      parseOutput(await posthorn('workspace', 'limits', id, '--json', ...options));
    const standard = {
      workspace_id: id,
      plan: 'pro',
      monthly: 50_000,
      daily: null,
      rate_per_minute: 60,
      overage_cap: null,
      storage_bytes: 25_000_000_000,
    };
    expect(await limits()).toEqual(standard);
    expect(await limits('--monthly', '10', '--daily', '5', '--rate', '2', '--overage-cap', '3')).toEqual({
      ...standard,
      monthly: 10,
      daily: 5,
      rate_per_minute: 2,
      overage_cap: 3,
    });
    expect(await limits('--daily', 'none', '--overage-cap', 'none')).toEqual({
      ...standard,
      monthly: 10,
      rate_per_minute: 2,
    });
    expect(await limits('--monthly', 'default', '--rate', 'default', '--storage', '5000000')).toEqual({
      ...standard,
      storage_bytes: 5_000_000,
    });
    expect(await limits('--storage', 'default')).toEqual(standard);
  });

  test('limits rejects a negative number', async () => {
    const { code, stderr } = await posthorn('workspace', 'limits', 'any', '--monthly=-1');
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^posthorn: .*--monthly.*whole number from 0 .*\n$/)]);
  });

  test('plan moves a workspace to another plan', async () => {
    const { workspace_id: id } = parseOutput(await create('plan@example.com'));
    expect(parseOutput(await posthorn('workspace', 'plan', id, 'pro', '--json'))).toEqual({
      workspace_id: id,
      plan: 'pro',
    });
    expect(await findWorkspace(ctx.db, id, 60)).toMatchObject({ allowance: { plan: { id: 'pro' } } });
  });

  test.each([
    ['limits', '0190a000-0000-7000-8000-000000000000', '--monthly', '1'],
    ['plan', '0190a000-0000-7000-8000-000000000000', 'pro'],
  ])('%s reports the unknown ID %s', async (command, id, ...args) => {
    const { code, stderr } = await posthorn('workspace', command, id, ...args);
    expect([code, stderr]).toEqual([1, `posthorn: No workspace has the ID ${id}.\n`]);
  });

  test('list prints every workspace except the system workspace', async () => {
    const { workspace_id: id } = parseOutput(await create('list@example.com'));
    const output = parseOutput(await posthorn('workspace', 'list', '--json'));
    expect(output.at(-1)).toEqual({
      id,
      name: 'Acme',
      paused_at: null,
      pause_reason: null,
      slug: expect.stringMatching(/^acme/),
      plan: 'free',
      monthly: 3_000,
      daily: 100,
      rate_per_minute: 60,
      overage_cap: 0,
      storage_bytes: 1_000_000_000,
      created_at: expect.stringMatching(/Z$/),
    });
    expect(output.map(({ slug }: { slug: string }) => slug)).not.toContain('no-reply');
  });

  test('list prints an aligned table without --json', async () => {
    const { workspace_id: id } = parseOutput(await create('table@example.com'));
    const lines = (await posthorn('workspace', 'list')).stdout.trimEnd().split('\n');
    const column = lines[0]?.indexOf('plan') ?? -1;
    expect(column).toBeGreaterThan(0);
    for (const line of lines.slice(1)) expect(line.slice(column)).toMatch(/^(free|pro) /);
    expect(lines.at(-1)).toMatch(new RegExp(`^${id}  Acme  acme`));
  });

  test('pause refuses new mail until resume, and list says why', async () => {
    const { workspace_id: id } = parseOutput(await create('paused@example.com'));
    const run = (command: string, ...options: string[]) => posthorn('workspace', command, id, '--json', ...options);
    expect(parseOutput(await run('pause', '--reason', 'Phishing'))).toEqual({ workspace_id: id, paused: true });
    const listed = parseOutput(await posthorn('workspace', 'list', '--json'));
    expect(listed.find((workspace: { id: string }) => workspace.id === id)).toMatchObject({
      paused_at: expect.any(String),
      pause_reason: 'Phishing',
    });
    const again = await run('pause', '--reason', 'Spam');
    expect([again.code, JSON.parse(again.stderr).error.code]).toEqual([1, 'conflict']);
    expect((await run('pause')).code).toBe(2);
    expect(parseOutput(await run('resume'))).toEqual({ workspace_id: id, paused: false });
    expect((await findWorkspace(ctx.db, id, 60))?.pause).toBeNull();
  });
});
