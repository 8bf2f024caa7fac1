import { type Context, findHandover, noteHandovers } from '@posthorn/domain';
import { closeTestContext, openTestContext } from '@posthorn/testing';

let ctx: Context;

beforeEach(async () => {
  ctx = await openTestContext();
});

afterEach(() => closeTestContext(ctx));

const fates = (status: 'sent' | 'bounced') => [
  { position: 0, address: 'jane@example.com', status, smtpCode: 250, smtpResponse: '250 OK' },
];

describe('noteHandovers', () => {
  test('notes each attempt by itself', async () => {
    const faults = await noteHandovers(
      ctx.redis,
      [
        { id: 'a', attempt: 1, fates: fates('sent') },
        { id: 'a', attempt: 2, fates: fates('bounced') },
        { id: 'b', attempt: 1, fates: fates('sent') },
      ],
      60,
    );
    expect(faults).toEqual([null, null, null]);
    expect(await findHandover(ctx.redis, { id: 'a', attempt: 2 })).toEqual(fates('bounced'));
    expect(await findHandover(ctx.redis, { id: 'b', attempt: 1 })).toEqual(fates('sent'));
    expect(await findHandover(ctx.redis, { id: 'b', attempt: 2 })).toBeNull();
    expect(await ctx.redis.ttl('handover:a:1')).toBeGreaterThan(60);
  });

  test('says of each why it could not be noted', async () => {
    ctx.redis.disconnect();
    const notes = [1, 2].map((attempt) => ({ id: 'a', attempt, fates: fates('sent') }));
    const faults = await noteHandovers(ctx.redis, notes, 60);
    expect(faults).toEqual([expect.anything(), expect.anything()]);
  });
});
