import { createDomain, listAllDomains } from '@posthorn/domain/domains';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { operator } from '../../src/audit-log/audit-entry.js';
import { findDomain } from '../../src/domains/domain-store.js';

describe('createDomain', () => {
  let ctx: Context;

  beforeAll(async () => {
    ctx = await openTestContext();
  });
  afterAll(() => closeTestContext(ctx));

  test('stores the domain as pending, with its name in lower case and as A-labels', async () => {
    const { workspaceId } = await createTestWorkspace(ctx);
    const domain = await createDomain(ctx, operator, workspaceId, 'BÜCHER.Example.');
    expect(domain).toMatchObject({ workspaceId, name: 'xn--bcher-kva.example', status: 'pending', verifiedAt: null });
    expect(await findDomain(ctx.db, workspaceId, domain.id)).toEqual(domain);
  });

  test('refuses an invalid domain name, and a name that the workspace already has', async () => {
    const { workspaceId } = await createTestWorkspace(ctx);
    await expect(createDomain(ctx, operator, workspaceId, '127.0.0.1')).rejects.toMatchObject({
      code: 'validation_failed',
      extras: { faults: [{ field: 'name', message: expect.stringContaining('not an IP address') }] },
    });
    await createDomain(ctx, operator, workspaceId, 'example.com');
    await expect(createDomain(ctx, operator, workspaceId, 'EXAMPLE.com')).rejects.toMatchObject({ code: 'conflict' });
    const stored = (await listAllDomains(ctx.db)).filter((domain) => domain.workspaceId === workspaceId);
    expect(stored).toHaveLength(1);
  });

  test('refuses a name that is too long for its bounce address', async () => {
    const { workspaceId } = await createTestWorkspace(ctx);
    const longest = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(50)}.example`;
    await expect(createDomain(ctx, operator, workspaceId, `d${longest}`)).rejects.toMatchObject({
      extras: { faults: [{ field: 'name', message: expect.stringContaining('has 181 characters; the limit is 180') }] },
    });
    expect(await createDomain(ctx, operator, workspaceId, longest)).toMatchObject({ name: longest });
  });

  test("refuses the simulator's domain and its subdomains", async () => {
    const simulated = { ...ctx, config: { ...ctx.config, simulatorDomain: 'sim.example' } };
    const { workspaceId } = await createTestWorkspace(ctx);
    for (const name of ['sim.example', 'mail.sim.example'])
      await expect(createDomain(simulated, operator, workspaceId, name)).rejects.toMatchObject({
        extras: {
          faults: [{ field: 'name', message: expect.stringContaining('is reserved for the simulator at sim.example') }],
        },
      });
    expect(await createDomain(simulated, operator, workspaceId, 'other-sim.example')).toMatchObject({
      status: 'pending',
    });
  });

  test('never exceeds the domain limit, however many domains are added at the same time', async () => {
    const { workspaceId } = await createTestWorkspace(ctx);
    const free = 5;
    const add = (n: number) => createDomain(ctx, operator, workspaceId, `many${n}.example`);
    // Only the last few domains are added at once. If all were, some would wait too long for a connection from the
    // pool.
    for (let n = 0; n < limits.domains.max - free; n += 1) await add(n);
    const added = await Promise.allSettled(Array.from({ length: 2 * free }, (_, n) => add(limits.domains.max + n)));
    expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(free);
    for (const result of added) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'conflict' });
    }
  });

  test('lets several workspaces add the same name, each as its own domain', async () => {
    const [one, two] = [await createTestWorkspace(ctx), await createTestWorkspace(ctx)];
    const mine = await createDomain(ctx, operator, one.workspaceId, 'shared.example');
    const theirs = await createDomain(ctx, operator, two.workspaceId, 'shared.example');
    expect(await findDomain(ctx.db, one.workspaceId, mine.id)).toEqual(mine);
    expect(await findDomain(ctx.db, one.workspaceId, theirs.id)).toBeNull();
    expect(await findDomain(ctx.db, two.workspaceId, theirs.id)).toEqual(theirs);
  });
});
