import { authenticateKey, createKeyCache } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import { createDomain } from '@posthorn/domain/domains';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { parseOutput, posthornFor } from './posthorn.js';

describe('posthorn key', () => {
  let ctx: Context;
  let posthorn: ReturnType<typeof posthornFor>;
  let workspaceId: string;
  beforeAll(async () => {
    ctx = await openTestContext();
    posthorn = posthornFor(ctx);
    ({ workspaceId } = await createTestWorkspace(ctx));
  });
  afterAll(() => closeTestContext(ctx));

  const create = (workspace: string, scopes: string) =>
    posthorn('key', 'create', '--workspace', workspace, '--name', 'CI', '--scopes', scopes, '--json');

  test('create prints a working key with the given scopes', async () => {
    const { id, key } = parseOutput(await create(workspaceId, 'emails:send, emails:read'));
    expect(await authenticateKey({ ...ctx, credentials: { keys: createKeyCache() } }, key)).toMatchObject({
      kind: 'key',
      id,
      scopes: ['emails:send', 'emails:read'],
      workspace: { id: workspaceId },
    });
  });

  test('a revoked key does not work', async () => {
    const { id, key } = parseOutput(await create(workspaceId, 'emails:send'));
    expect(parseOutput(await posthorn('key', 'revoke', id, '--json'))).toEqual({ id, revoked: true });
    expect(await authenticateKey({ ...ctx, credentials: { keys: createKeyCache() } }, key)).toBeNull();
  });

  test('create --mode test makes a key whose emails are not sent', async () => {
    const parts = ['--workspace', workspaceId, '--name', 'CI', '--scopes', 'emails:send', '--mode'];
    const { key } = parseOutput(await posthorn('key', 'create', ...parts, 'test', '--json'));
    expect(key).toMatch(/^ph_test_/);
    expect((await authenticateKey({ ...ctx, credentials: { keys: createKeyCache() } }, key))?.workspace.liveId).toBe(
      workspaceId,
    );
    const { code, stderr } = await posthorn('key', 'create', ...parts, 'sandbox');
    expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining('Allowed choices are live, test')]);
    expect(code).not.toBe(0);
  });

  test('create --domains and --networks restricts the key', async () => {
    const { id } = await createDomain(ctx, operator, workspaceId, 'acme.example');
    const parts = ['key', 'create', '--workspace', workspaceId, '--name', 'CI', '--scopes', 'emails:send'];
    const { key } = parseOutput(
      await posthorn(...parts, '--domains', id, '--networks', '192.0.2.7, 2001:db8::/32', '--json'),
    );
    expect(await authenticateKey({ ...ctx, credentials: { keys: createKeyCache() } }, key)).toMatchObject({
      domainIds: [id],
    });
    const [newest] = parseOutput(await posthorn('key', 'list', '--workspace', workspaceId, '--json'));
    expect(newest.networks).toEqual(['192.0.2.7/32', '2001:db8::/32']);
    const { code, stderr } = await posthorn(...parts, '--networks', '192.0.2.0/33');
    expect([code, stderr]).toEqual([2, expect.stringContaining('192.0.2.0/24')]);
  });

  test('list prints the keys of all workspaces or of one, newest first, without their secrets', async () => {
    const other = await createTestWorkspace(ctx);
    const { id, key } = parseOutput(await create(workspaceId, 'emails:send'));
    await posthorn('key', 'revoke', id);
    const outcome = await posthorn('key', 'list', '--workspace', workspaceId, '--json');
    const [newest, ...older] = parseOutput(outcome);
    expect(newest).toEqual({
      id,
      workspace_id: workspaceId,
      name: 'CI',
      mode: 'live',
      hint: key.slice(-4),
      scopes: ['emails:send'],
      domain_ids: null,
      networks: null,
      created_at: expect.stringMatching(/Z$/),
      expires_at: null,
      revoked_at: expect.stringMatching(/Z$/),
      last_used_at: null,
    });
    expect(older.length).toBeGreaterThan(0);
    expect(outcome.stdout).not.toContain(key.slice(0, -4));
    const all: Array<{ id: string }> = parseOutput(await posthorn('key', 'list', '--json'));
    expect(all.map((listed) => listed.id)).toEqual(expect.arrayContaining([id, other.keyId]));
  });

  test('list can be read in pages', async () => {
    await create(workspaceId, 'emails:send');
    const [newest, second] = parseOutput(await posthorn('key', 'list', '--workspace', workspaceId, '--json'));
    const parts = ['--workspace', workspaceId, '--limit', '1', '--json'];
    expect(parseOutput(await posthorn('key', 'list', ...parts))).toEqual([newest]);
    expect(parseOutput(await posthorn('key', 'list', ...parts, '--after', newest.id))).toEqual([second]);
    const unknown = newId();
    const { code, stderr } = await posthorn('key', 'list', '--workspace', unknown);
    expect([code, stderr]).toEqual([1, `posthorn: No workspace has the ID ${unknown}.\n`]);
  });

  test('create rejects an unknown scope', async () => {
    const { code, stderr } = await create(workspaceId, 'emails:send,emails:write');
    expect(code).toBe(2);
    expect(JSON.parse(stderr).error.message).toContain('"emails:write" is not a scope');
  });

  test('an unknown workspace or key ID is reported', async () => {
    const id = newId();
    const created = await create(id, 'emails:send');
    expect([created.code, JSON.parse(created.stderr).error.message]).toEqual([1, `No workspace has the ID ${id}.`]);
    const revoked = await posthorn('key', 'revoke', id);
    expect([revoked.code, revoked.stderr]).toEqual([1, `posthorn: No API key has the ID ${id}.\n`]);
  });
});
