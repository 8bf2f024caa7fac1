import { findKnownDevice, issueDeviceToken, KNOWN_DEVICE_DAYS } from '@posthorn/domain/accounts';
import { DAY_MS } from '@posthorn/platform/values';

const ADA = 'ada@example.com';

describe('a known device', () => {
  let now = new Date('2026-03-01T12:00:00.000Z');
  const ctx = { config: { secretKey: 'a secret' } as never, now: () => now };

  test('is recognized by its token, however the address of its account is capitalized', () => {
    const token = issueDeviceToken(ctx, ADA);
    const id = findKnownDevice(ctx, token, ADA);
    expect(id).toEqual(expect.any(String));
    expect(findKnownDevice(ctx, token, 'Ada@Example.com')).toBe(id);
    expect(findKnownDevice(ctx, issueDeviceToken(ctx, ADA), ADA)).not.toBe(id);
  });

  test('is not recognized for other accounts, or with a token that was changed or made with another key', () => {
    const token = issueDeviceToken(ctx, ADA);
    expect(findKnownDevice(ctx, token, 'grace@example.com')).toBeNull();
    expect(findKnownDevice({ ...ctx, config: { secretKey: 'another secret' } as never }, token, ADA)).toBeNull();
    for (const changed of [null, '', '.', token.slice(1), token.slice(0, -1), `z${token}`]) {
      expect(findKnownDevice(ctx, changed, ADA)).toBeNull();
    }
  });

  test('is forgotten after half a year', () => {
    const token = issueDeviceToken(ctx, ADA);
    now = new Date(now.getTime() + KNOWN_DEVICE_DAYS * DAY_MS - 1);
    expect(findKnownDevice(ctx, token, ADA)).not.toBeNull();
    now = new Date(now.getTime() + 1);
    expect(findKnownDevice(ctx, token, ADA)).toBeNull();
  });
});
