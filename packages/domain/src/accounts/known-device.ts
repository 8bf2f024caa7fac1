import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { toAddressKey } from '@posthorn/domain/format';
import type { Context } from '@posthorn/platform';
import { deriveToken } from '@posthorn/platform/secrets';
import { DAY_MS } from '@posthorn/platform/values';

/*
 * A device is known to an account once someone has logged in to the account with it. Failed logins from other devices
 * do not lock it out. Its token is not a credential: it proves only that earlier login. It is
 * `<time>-<random>.<HMAC of both and the account>`, so no list of devices has to be stored.
 */
const KEY_BYTES = 32;
const RANDOM_BYTES = 12;

/** A device counts as known for this long after its last login. */
export const KNOWN_DEVICE_DAYS = 180;

type DeviceContext = Pick<Context, 'now'> & { readonly config: Pick<Context['config'], 'secretKey'> };

/** @returns the token for the device's cookie */
export function issueDeviceToken(ctx: DeviceContext, email: string): string {
  const id = `${ctx.now().getTime().toString(36)}-${randomBytes(RANDOM_BYTES).toString('base64url')}`;
  return `${id}.${toMac(ctx, id, email)}`;
}

/** @returns the device's id; null if the token belongs to another account, is too old or is not ours */
export function findKnownDevice(ctx: DeviceContext, token: string | null, email: string): string | null {
  const [id = '', mac = ''] = (token ?? '').split('.');
  return isSame(mac, toMac(ctx, id, email)) && isRecent(ctx, id) ? id : null;
}

function toMac({ config }: DeviceContext, id: string, email: string): string {
  return createHmac('sha256', deriveToken(config, 'known device', KEY_BYTES))
    .update(`${id} ${toAddressKey(email)}`)
    .digest('base64url');
}

function isRecent({ now }: DeviceContext, id: string): boolean {
  return now().getTime() - Number.parseInt(id, 36) < KNOWN_DEVICE_DAYS * DAY_MS;
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
