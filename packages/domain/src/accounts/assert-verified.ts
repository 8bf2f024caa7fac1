import { Refusal } from '@posthorn/domain/errors';
import type { SessionCaller } from './caller.js';

/** @throws Refusal account_not_verified if the caller's address is not verified */
export function assertVerified({ user }: SessionCaller): void {
  if (!user.emailVerified) throw new Refusal('account_not_verified', { action: 'invite' });
}
