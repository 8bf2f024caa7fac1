/** Pauses that double with each failure. `first` and `max` are in the same unit. */
type Backoff = { readonly first: number; readonly max: number; readonly jitter?: number };

/**
 * The pause after some failures in a row.
 * @param failures at least 1
 * @param random from 0 to 1
 */
export function computePause(failures: number, { first, max, jitter = 0 }: Backoff, random?: number): number {
  return Math.min(addJitter(first * 2 ** (failures - 1), jitter, random), max);
}

/**
 * Makes a pause a little shorter or longer, so that what failed together is not all tried again at the same moment.
 * @param share by how much at most, such as 0.1
 * @param random from 0 to 1
 */
export function addJitter(pause: number, share: number, random = Math.random()): number {
  return pause * (1 + share * (2 * random - 1));
}
