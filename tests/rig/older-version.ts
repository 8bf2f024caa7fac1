import type { Context } from '@posthorn/platform';
import { runOlderPosthorn, type TestWorkspace } from '@posthorn/testing';

const OWNER = { email: 'owner@example.com', password: 'correct horse battery' };

/** A workspace as the older version stores it. Our own code may not fit its schema yet. */
export async function createOlderWorkspace({ config, db }: Context, checkout: string): Promise<TestWorkspace> {
  const run = (...args: string[]) => runOlderPosthorn(checkout, config.databaseUrl, args);
  const owner = ['--email', OWNER.email, '--password', OWNER.password];
  const workspace = await run('workspace', 'create', '--name', 'Test', '--plan', 'pro', ...owner);
  const workspaceId = workspace.workspace_id as string;
  const key = await run('key', 'create', '--workspace', workspaceId, '--name', 'Test key', '--scopes', 'emails:send');
  const { slug } = await db('workspaces').where({ id: workspaceId }).first('slug');
  return {
    ...OWNER,
    workspaceId,
    slug,
    userId: workspace.user_id as string,
    key: key.key as string,
    keyId: key.id as string,
  };
}
