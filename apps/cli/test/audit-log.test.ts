import { operator } from '@posthorn/domain/audit-log';
import { createDomain } from '@posthorn/domain/domains';
import type { Context } from '@posthorn/platform';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { parseOutput, posthornFor } from './posthorn.js';

/** Every command starts a process of its own. */
const TEST_TIMEOUT_MS = 120_000;

describe('the audit log of operator commands', () => {
  let ctx: Context;
  let posthorn: ReturnType<typeof posthornFor>;
  beforeAll(async () => {
    ctx = await openTestContext({ ownDatabase: 'it changes the limits of a plan, and reads the whole audit log' });
    posthorn = posthornFor(ctx);
  });
  afterAll(() => closeTestContext(ctx));

  test(
    'every command that changes something has an entry by the operator, without an address',
    async () => {
      const account = ['--name', 'Acme', '--email', 'ada@example.com', '--password', 'correct horse'];
      const run = async (...words: string[]) => parseOutput(await posthorn(...words, '--json'));
      const { workspace_id: id } = await run('workspace', 'create', ...account);
      const key = await run('key', 'create', '--workspace', id, '--name', 'CI', '--scopes', 'emails:send');
      await run('key', 'revoke', key.id);
      await run('domain', 'create', '--workspace', id, '--name', 'one.example');
      const domain = await createDomain(ctx, operator, id, 'two.example');
      await run('domain', 'verify', domain.id);
      await run('workspace', 'plan', id, 'pro');
      await run('workspace', 'limits', id);
      await run('workspace', 'limits', id, '--monthly', '7', '--overage-cap', 'none');
      await run('plan', 'limits', 'free', '--daily', '9');

      const entries = await ctx.db('audit_log').select('*').orderBy('id');
      expect(entries.map(({ action }) => action)).toEqual([
        'workspace.created',
        'api_key.created',
        'api_key.revoked',
        'domain.created',
        'domain.created',
        'domain.verified_by_operator',
        'workspace.plan_changed',
        'workspace.limits_changed',
        'plan.limits_changed',
      ]);
      for (const entry of entries)
        expect(entry).toMatchObject({ actor_type: 'operator', actor_id: null, actor_label: null, ip: null });
      expect(entries.map(({ workspace_id }) => workspace_id)).toEqual([...Array(8).fill(id), null]);
      expect(entries.at(-2).changes).toEqual({
        monthly: { from: 'default', to: 7 },
        overage_cap: { from: 'default', to: 'none' },
      });
      expect(entries.at(-1).changes).toEqual({ daily: { from: 'default', to: 9 } });
      const log = JSON.stringify(entries);
      for (const secret of [key.key, 'correct horse']) expect(log).not.toContain(secret);
    },
    TEST_TIMEOUT_MS,
  );
});
