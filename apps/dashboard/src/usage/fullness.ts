import type { Cap } from '@posthorn/contract';

const NEAR = 0.8;

/** Whether a cap is worth a word: nearly used up, or wholly. */
export function fullness({ used, limit }: Cap): 'calm' | 'near' | 'full' {
  if (limit === null) return 'calm';
  if (used >= limit) return 'full';
  return used >= limit * NEAR ? 'near' : 'calm';
}
