import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { addressKey } from '@posthorn/domain/format';
import type { Context } from '@posthorn/platform';
import { deriveToken } from '@posthorn/platform/secrets';
import { DAY_MS } from '@posthorn/platform/values';

const KEY_BYTES = 32;
const RANDOM_BYTES = 12;

/** A device counts as known for this long after its last login. */
export const KNOWN_DEVICE_DAYS = 180;

/**
 * A device is known to an account once someone has logged in to the account with it. Failed logins from other devices
 * do not lock it out. The token is not a credential: it proves only that earlier login.
 */
export type KnownDevices = {
  /** @returns the token for the device's cookie */
  issue(email: string): string;
  /** @returns the device's id; null if the token belongs to another account, is too old or is not ours */
  read(token: string | null, email: string): string | null;
};

/** A token is `<time>-<random>.<HMAC of both and the account>`, so no list of devices has to be stored. */
export function openKnownDevices({ config, now }: Pick<Context, 'config' | 'now'>): KnownDevices {
  const key = deriveToken(config, 'known device', KEY_BYTES);
  const macOf = (id: string, email: string) =>
    createHmac('sha256', key)
      .update(`${id} ${addressKey(email)}`)
      .digest('base64url');
  const isRecent = (id: string) => {
    const issuedAt = Number.parseInt(id, 36);
    return now().getTime() - issuedAt < KNOWN_DEVICE_DAYS * DAY_MS;
  };

  return {
    issue(email) {
      const id = `${now().getTime().toString(36)}-${randomBytes(RANDOM_BYTES).toString('base64url')}`;
      return `${id}.${macOf(id, email)}`;
    },
    read(token, email) {
      const [id = '', mac = ''] = (token ?? '').split('.');
      return isSame(mac, macOf(id, email)) && isRecent(id) ? id : null;
    },
  };
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
