import { operator } from '@posthorn/domain/audit-log';
import { addSuppression, createSuppressedFinder } from '@posthorn/domain/suppressions';
import { findLinkSender, findUnsubscribes, subscribeAgain, unsubscribe } from '@posthorn/domain/unsubscribe';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { createAddressHasher } from '../../src/suppressions/address-hash.js';
import { eraseSuppressedAddress } from '../../src/suppressions/suppression-store.js';

let ctx: Context;
let workspaceId: string;

const ADDRESS = 'jane@example.com';

beforeAll(async () => {
  ctx = await openTestContext();
  ({ workspaceId } = await createTestWorkspace(ctx));
});

afterAll(() => closeTestContext(ctx));

/** The context after SECRET_KEY was changed. */
function changed(previousSecretKeys: string[]): Context {
  return {
    ...ctx,
    config: { ...ctx.config, secretKey: 'a new secret that is only good for tests', previousSecretKeys },
  };
}

/** As an erasure does. */
async function erase(address: string): Promise<void> {
  const hash = createAddressHasher(ctx.config)(workspaceId, address);
  await eraseSuppressedAddress(ctx.db, { workspaceId, address, hash });
}

async function isSuppressed(context: Context): Promise<boolean> {
  const query = { workspaceId, topic: null, addresses: [ADDRESS] };
  return (await createSuppressedFinder(context)(query)).size > 0;
}

test('an erased address stays suppressed after SECRET_KEY was changed', async () => {
  await addSuppression(ctx, operator, workspaceId, { address: ADDRESS, topic: null, detail: null });
  await erase(ADDRESS);
  expect(await isSuppressed(ctx)).toBe(true);
  expect(await isSuppressed(changed([]))).toBe(false);
  expect(await isSuppressed(changed(['an unrelated secret', ctx.config.secretKey ?? '']))).toBe(true);
});

test('an erased recipient can use an old link and take it back after SECRET_KEY was changed', async () => {
  const sender = await findLinkSender(ctx.db, workspaceId);
  if (!sender) throw new Error('The workspace is missing');
  const address = 'joe@example.com';
  const link = { workspaceId, emailId: newId(), topic: 'newsletter', address };
  await unsubscribe(ctx, sender, link, { topic: 'newsletter', detail: 'Test' });
  await erase(address);
  const later = changed([ctx.config.secretKey ?? '']);
  expect(await findUnsubscribes(later, sender, link)).toEqual(['newsletter']);
  await unsubscribe(later, sender, link, { topic: 'newsletter', detail: 'Test' });
  expect(await ctx.db('suppressions').where({ workspace_id: workspaceId, address })).toEqual([]);
  await subscribeAgain(later, sender, link, 'newsletter');
  expect(await findUnsubscribes(later, sender, link)).toEqual([]);
});
