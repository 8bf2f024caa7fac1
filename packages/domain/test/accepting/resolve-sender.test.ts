import { createDomain, markDomainVerified } from '@posthorn/domain/domains';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, createTestWorkspace, openTestContext, type TestWorkspace } from '@posthorn/testing';
import { resolveSender } from '../../src/accepting/resolve-sender.js';
import { operator } from '../../src/audit-log/audit-entry.js';
import { createSenderDomainFinder } from '../../src/domains/sender-domain-store.js';

describe('resolveSender', () => {
  let ctx: Context;
  let acceptCtx: Parameters<typeof resolveSender>[0];
  let workspace: TestWorkspace;

  beforeAll(async () => {
    ctx = await openTestContext({ config: { platformSenderDomain: 'platform.example' } });
    acceptCtx = { ...ctx, findSenderDomain: createSenderDomainFinder(ctx) };
  });
  beforeEach(async () => {
    workspace = await createTestWorkspace(ctx);
  });
  afterAll(() => closeTestContext(ctx));

  describe('in a workspace without a verified domain', () => {
    test('uses the platform sender, whatever from_ says', async () => {
      await createDomain(ctx, operator, workspace.workspaceId, 'pending.example');
      const platform = {
        from: { name: null, address: `${workspace.slug}@platform.example` },
        domainId: null,
        tracks: null,
      };
      const replaced = { ...platform, reason: 'no_verified_domain' };
      expect(await resolve(null)).toEqual({ ...platform, reason: 'no_sender_requested' });
      expect(await resolve('me@pending.example')).toEqual(replaced);
      expect(await resolve('me@elsewhere.example')).toEqual(replaced);
    });

    test('still checks domain_id', async () => {
      const { id } = await createDomain(ctx, operator, workspace.workspaceId, 'pending.example');
      await expect(resolve('me@pending.example', id)).rejects.toMatchObject({ code: 'sender_not_verified' });
      await expect(resolve('me@pending.example', newId())).rejects.toMatchObject({ code: 'domain_not_found' });
      await expect(resolve(null, id)).rejects.toMatchObject({ code: 'validation_failed' });
    });

    test("cannot use another workspace's verified domain", async () => {
      const other = await createTestWorkspace(ctx);
      const name = uniqueName();
      const id = await verify(other, name);
      await createDomain(ctx, operator, workspace.workspaceId, name);
      expect(await resolve(`me@${name}`)).toMatchObject({
        domainId: null,
        from: { address: `${workspace.slug}@platform.example` },
      });
      await expect(resolve(`me@${name}`, id)).rejects.toMatchObject({ code: 'domain_not_found' });
    });
  });

  describe('in a workspace with a verified domain', () => {
    let name: string;
    let domainId: string;

    beforeEach(async () => {
      name = uniqueName();
      domainId = await verify(workspace, name);
    });

    test('uses a from_ address at that domain, with its display name', async () => {
      const from = { name: 'Müller, Inc.', address: `Billing@${name}` };
      const sender = { from, domainId, reason: 'verified_domain', tracks: { opens: false, clicks: false, host: null } };
      expect(await resolveSender(acceptCtx, caller(), { from, domainId: null })).toEqual(sender);
      expect(await resolveSender(acceptCtx, caller(), { from, domainId })).toEqual(sender);
    });

    test('refuses every other sender, if the caller is restricted to that domain', async () => {
      const restricted = caller([domainId]);
      const from = { name: null, address: `me@${name}` };
      expect(await resolveSender(acceptCtx, restricted, { from, domainId: null })).toMatchObject({ domainId });
      const other = await verify(workspace, uniqueName());
      for (const requested of [
        [caller([domainId]), null],
        [caller([other]), from],
        [caller([]), from],
      ] as const)
        await expect(
          resolveSender(acceptCtx, requested[0], { from: requested[1], domainId: null }),
        ).rejects.toMatchObject({ code: 'domain_not_allowed' });
    });

    test('uses the platform sender if from_ is missing', async () => {
      expect(await resolve(null)).toEqual({
        from: { name: null, address: `${workspace.slug}@platform.example` },
        domainId: null,
        reason: 'no_sender_requested',
        tracks: null,
      });
      await expect(resolve(null, domainId)).rejects.toMatchObject({
        code: 'validation_failed',
        extras: { faults: [{ field: 'domain_id' }] },
      });
    });

    test('refuses a from_ address at an unknown domain, a subdomain, a parent domain or a pending domain', async () => {
      await createDomain(ctx, operator, workspace.workspaceId, 'pending.example');
      for (const host of ['elsewhere.example', `mail.${name}`, 'example', `x${name}`, 'pending.example']) {
        await expect(resolve(`me@${host}`)).rejects.toMatchObject({
          code: 'sender_not_verified',
          message: expect.stringContaining(`${host} is not a verified domain`),
        });
      }
    });

    test("refuses a from_ address at another workspace's verified domain, with or without domain_id", async () => {
      const other = await createTestWorkspace(ctx);
      const theirs = uniqueName();
      const theirId = await verify(other, theirs);
      await expect(resolve(`me@${theirs}`)).rejects.toMatchObject({ code: 'sender_not_verified' });
      await expect(resolve(`me@${theirs}`, theirId)).rejects.toMatchObject({ code: 'domain_not_found' });
      await expect(resolve(`me@${name}`, theirId)).rejects.toMatchObject({ code: 'domain_not_found' });
    });

    test('requires domain_id to identify a verified domain that matches the from_ address', async () => {
      const pending = await createDomain(ctx, operator, workspace.workspaceId, 'pending.example');
      await expect(resolve(`me@${name}`, 'no id')).rejects.toMatchObject({ code: 'domain_not_found' });
      await expect(resolve(`me@${name}`, newId())).rejects.toMatchObject({ code: 'domain_not_found' });
      await expect(resolve(`me@${name}`, pending.id)).rejects.toMatchObject({ code: 'sender_not_verified' });
      await expect(resolve(`me@mail.${name}`, domainId)).rejects.toMatchObject({
        code: 'validation_failed',
        extras: {
          faults: [
            {
              field: 'domain_id',
              message: `belongs to ${name}, but the domain of from_ is mail.${name}. Make them match`,
            },
          ],
        },
      });
    });
  });

  function resolve(address: string | null, domainId: string | null = null) {
    return resolveSender(acceptCtx, caller(), {
      from: address === null ? null : { name: 'Me', address },
      domainId,
    });
  }

  function caller(domainIds: string[] | null = null) {
    return { workspace: { liveId: workspace.workspaceId, slug: workspace.slug }, domainIds };
  }

  async function verify({ workspaceId }: TestWorkspace, name: string): Promise<string> {
    const { id } = await createDomain(ctx, operator, workspaceId, name);
    await markDomainVerified(ctx, id);
    return id;
  }

  function uniqueName(): string {
    return `d${newId().slice(-12)}.example`;
  }
});
