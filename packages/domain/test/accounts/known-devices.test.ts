import { KNOWN_DEVICE_DAYS, openKnownDevices } from '@posthorn/domain/accounts';
import { DAY_MS } from '@posthorn/platform/values';

const ADA = 'ada@example.com';

describe('a known device', () => {
  let now = new Date('2026-03-01T12:00:00.000Z');
  const open = (secretKey: string) => openKnownDevices({ config: { secretKey } as never, now: () => now });
  const devices = open('a secret');

  test('is recognized by its token, however the address of its account is capitalized', () => {
    const token = devices.issue(ADA);
    const id = devices.read(token, ADA);
    expect(id).toEqual(expect.any(String));
    expect(devices.read(token, 'Ada@Example.com')).toBe(id);
    expect(devices.read(devices.issue(ADA), ADA)).not.toBe(id);
  });

  test('is not recognized for other accounts, or with a token that was changed or made with another key', () => {
    const token = devices.issue(ADA);
    expect(devices.read(token, 'grace@example.com')).toBeNull();
    expect(open('another secret').read(token, ADA)).toBeNull();
    for (const changed of [null, '', '.', token.slice(1), token.slice(0, -1), `z${token}`]) {
      expect(devices.read(changed, ADA)).toBeNull();
    }
  });

  test('is forgotten after half a year', () => {
    const token = devices.issue(ADA);
    now = new Date(now.getTime() + KNOWN_DEVICE_DAYS * DAY_MS - 1);
    expect(devices.read(token, ADA)).not.toBeNull();
    now = new Date(now.getTime() + 1);
    expect(devices.read(token, ADA)).toBeNull();
  });
});
