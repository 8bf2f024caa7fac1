import type { ApiKey } from '@posthorn/contract';

/** For keys that are not revoked. */
export function keyStatus({ expires_at }: ApiKey): 'active' | 'expired' {
  return expires_at !== null && Date.parse(expires_at) <= Date.now() ? 'expired' : 'active';
}
