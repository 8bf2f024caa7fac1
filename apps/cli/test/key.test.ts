import { type Context, keyAuthenticator, newId } from '@posthorn/domain';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { documentOf, posthornOn } from './posthorn.js';

describe('posthorn key', () => {
  let ctx: Context;
  let posthorn: ReturnType<typeof posthornOn>;
  let workspaceId: string;
  beforeAll(async () => {
    ctx = await openTestContext();
    posthorn = posthornOn(ctx);
    ({ workspaceId } = await createTestWorkspace(ctx));
  });
  afterAll(() => closeTestContext(ctx));

  const create = (workspace: string, scopes: string) =>
    posthorn('key', 'create', '--workspace', workspace, '--name', 'CI', '--scopes', scopes, '--json');

  test('create makes a key that works, with the scopes asked for', async () => {
    const { id, key } = documentOf(await create(workspaceId, 'emails:send, emails:read'));
    expect(await keyAuthenticator(ctx)(key)).toMatchObject({
      kind: 'key',
      id,
      scopes: ['emails:send', 'emails:read'],
      workspace: { id: workspaceId },
    });
  });

  test('revoke ends it', async () => {
    const { id, key } = documentOf(await create(workspaceId, 'emails:send'));
    expect(documentOf(await posthorn('key', 'revoke', id, '--json'))).toEqual({ id, revoked: true });
    expect(await keyAuthenticator(ctx)(key)).toBeNull();
  });

  test('create knows the scopes', async () => {
    const { code, stderr } = await create(workspaceId, 'emails:send,emails:write');
    expect(code).toBe(2);
    expect(JSON.parse(stderr).error.message).toContain('"emails:write" is not a scope');
  });

  test('unknown ids are named', async () => {
    const id = newId();
    const created = await create(id, 'emails:send');
    expect([created.code, JSON.parse(created.stderr).error.message]).toEqual([
      1,
      `There is no workspace with the id ${id}.`,
    ]);
    const revoked = await posthorn('key', 'revoke', id);
    expect([revoked.code, revoked.stderr]).toEqual([1, `posthorn: There is no API key with the id ${id}.\n`]);
  });
});
