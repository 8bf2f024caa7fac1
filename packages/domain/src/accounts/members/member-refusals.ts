import { Refusal } from '@posthorn/domain/errors';

export function memberNotFound(): Refusal {
  return new Refusal('not_found', { what: 'member or invitation' });
}

export function lastOwner(): Refusal {
  return new Refusal('conflict', {
    reason: 'This is the last owner, and a workspace needs at least one. Make another member an owner first.',
  });
}
