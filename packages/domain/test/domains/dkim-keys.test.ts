import { preparePlatformKey } from '@posthorn/domain/domains';
import type { Context } from '@posthorn/platform';
import { closeTestContext, openTestContext } from '@posthorn/testing';

describe('preparePlatformKey', () => {
  let ctx: Context;
  let events: string[];
  const record = (_: object, event: string) => void events.push(event);

  beforeEach(async () => {
    events = [];
    ctx = await openTestContext({
      ownDatabase: 'all workspaces share the key of the platform domain',
      log: { debug: record, info: record, warn: record, error: record },
    });
    await ctx.db('domain_keys').delete();
  });
  afterEach(() => closeTestContext(ctx));

  test('creates the key once, however many processes start', async () => {
    await Promise.all(Array.from({ length: 4 }, () => preparePlatformKey(ctx)));
    const [key, ...more] = await ctx.db('domain_keys').where({ domain_id: null });
    expect([key?.state, more]).toEqual(['active', []]);
    await preparePlatformKey(ctx);
    expect(await ctx.db('domain_keys').select('id')).toEqual([{ id: key?.id }]);
    expect(events).toEqual([]);
  });

  test('does not throw when it cannot create the key', async () => {
    await ctx.db.raw('alter table domain_keys rename to hidden_keys');
    await preparePlatformKey(ctx);
    expect(events).toEqual(['platform_key_not_created']);
  });
});
