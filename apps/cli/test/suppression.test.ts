import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { parseOutput, posthornFor } from './posthorn.js';

describe('posthorn suppression', () => {
  let ctx: Context;
  let posthorn: ReturnType<typeof posthornFor>;
  let workspaceId: string;

  beforeAll(async () => {
    ctx = await openTestContext({ ownDatabase: 'the command adds suppressions for all workspaces' });
    posthorn = posthornFor(ctx);
    ({ workspaceId } = await createTestWorkspace(ctx));
  });
  afterAll(() => closeTestContext(ctx));

  test('add, list and remove suppressions for all workspaces, or for one', async () => {
    const everywhere = parseOutput(
      await posthorn('suppression', 'add', 'Jane@Example.com', '--detail', 'Court order', '--json'),
    );
    expect(everywhere).toEqual({
      id: everywhere.id,
      workspace_id: null,
      address: 'jane@example.com',
      topic: null,
      reason: 'manual',
      detail: 'Court order',
      created_at: expect.stringMatching(/Z$/),
    });
    const own = parseOutput(
      await posthorn('suppression', 'add', 'joe@example.com', '--workspace', workspaceId, '--json'),
    );
    expect(own).toMatchObject({ workspace_id: workspaceId, detail: null });
    expect(parseOutput(await posthorn('suppression', 'list', '--json'))).toEqual([everywhere]);
    expect(parseOutput(await posthorn('suppression', 'list', '--workspace', workspaceId, '--json'))).toEqual([own]);

    // It belongs to a workspace, so it is not found without the option.
    expect((await posthorn('suppression', 'remove', own.id)).code).toBe(1);
    const removed = await posthorn('suppression', 'remove', own.id, '--workspace', workspaceId, '--json');
    expect(parseOutput(removed)).toEqual({ id: own.id, removed: true });
    const entries = await ctx
      .db('audit_log')
      .where({ target_type: 'suppression' })
      .orderBy('id')
      .select('workspace_id', 'action', 'actor_type');
    expect(entries).toEqual([
      { workspace_id: null, action: 'suppression.created', actor_type: 'operator' },
      { workspace_id: workspaceId, action: 'suppression.created', actor_type: 'operator' },
      { workspace_id: workspaceId, action: 'suppression.removed', actor_type: 'operator' },
    ]);
  });

  test('refuses what is no address, no workspace and no suppression', async () => {
    expect((await posthorn('suppression', 'add', 'Jane <jane@example.com>')).code).toBe(2);
    expect((await posthorn('suppression', 'add', 'a@example.com', '--workspace', newId())).code).toBe(1);
    expect((await posthorn('suppression', 'remove', newId())).stderr).toContain('No suppression has the ID ');
  });
});
