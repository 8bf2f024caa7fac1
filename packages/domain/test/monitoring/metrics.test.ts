import { createRegistry } from '@posthorn/domain/monitoring';
import type { Context } from '@posthorn/platform';
import { closeTestContext, openTestContext } from '@posthorn/testing';

describe('createRegistry', () => {
  let ctx: Context;
  beforeAll(async () => {
    ctx = await openTestContext();
  });
  afterAll(() => closeTestContext(ctx));

  test('measures the process once, however many registries it opens', () => {
    const [one, other] = [createRegistry(ctx), createRegistry(ctx)];
    for (const name of ['nodejs_eventloop_lag_seconds', 'nodejs_gc_duration_seconds'])
      expect(one.getSingleMetric(name)).toBe(other.getSingleMetric(name));
    expect(one.getSingleMetric('nodejs_gc_duration_seconds')).toBeDefined();
    expect(one.getSingleMetric('posthorn_emails')).not.toBe(other.getSingleMetric('posthorn_emails'));
  });
});
