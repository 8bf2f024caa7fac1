import {
  addSuppression,
  type Context,
  findListSender,
  findUnsubscribes,
  newId,
  operator,
  subscribeAgain,
  suppressedFinder,
  unsubscribe,
} from '@posthorn/domain';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { eraseSuppressedAddress } from '../../src/suppressions/erase-address.js';

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

async function isSuppressed(context: Context): Promise<boolean> {
  const query = { workspaceId, topic: null, addresses: [ADDRESS] };
  return (await suppressedFinder(context)(query)).size > 0;
}

test('an erased address stays suppressed after SECRET_KEY was changed', async () => {
  await addSuppression(ctx, operator, workspaceId, { address: ADDRESS, topic: null, detail: null });
  await eraseSuppressedAddress(ctx.db, ctx.config, { workspaceId, address: ADDRESS });
  expect(await isSuppressed(ctx)).toBe(true);
  expect(await isSuppressed(changed([]))).toBe(false);
  expect(await isSuppressed(changed(['an unrelated secret', ctx.config.secretKey ?? '']))).toBe(true);
});

test('an erased recipient can use an old link and take it back after SECRET_KEY was changed', async () => {
  const sender = await findListSender(ctx.db, workspaceId);
  if (!sender) throw new Error('The workspace is missing');
  const address = 'joe@example.com';
  const subscription = { workspaceId, emailId: newId(), topic: 'newsletter', address };
  await unsubscribe(ctx, sender, subscription, { topic: 'newsletter', detail: 'Test' });
  await eraseSuppressedAddress(ctx.db, ctx.config, { workspaceId, address });
  const later = changed([ctx.config.secretKey ?? '']);
  expect(await findUnsubscribes(later, sender, subscription)).toEqual(['newsletter']);
  await unsubscribe(later, sender, subscription, { topic: 'newsletter', detail: 'Test' });
  expect(await ctx.db('suppressions').where({ address })).toEqual([]);
  await subscribeAgain(later, sender, subscription, 'newsletter');
  expect(await findUnsubscribes(later, sender, subscription)).toEqual([]);
});
