import type { Cap } from '@posthorn/contract';

const NEAR_CAP_RATIO = 0.8;

/** `near` warns users before sends are refused. */
export function capLevel({ used, limit }: Cap): 'ok' | 'near' | 'reached' {
  if (limit === null) return 'ok';
  if (used >= limit) return 'reached';
  return used >= limit * NEAR_CAP_RATIO ? 'near' : 'ok';
}
