import type { ApiKey } from '@posthorn/contract';

export type KeyState = 'active' | 'expired' | 'revoked';

export function keyStateOf({ revoked_at, expires_at }: ApiKey): KeyState {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= Date.now() ? 'expired' : 'active';
}
