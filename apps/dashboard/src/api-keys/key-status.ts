import type { ApiKey } from '@posthorn/contract';

/** The status of a key that is not revoked. */
export function keyStatus({ expires_at }: ApiKey): 'active' | 'expired' {
  return expires_at !== null && Date.parse(expires_at) <= Date.now() ? 'expired' : 'active';
}
