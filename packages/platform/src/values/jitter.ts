/**
 * Makes a pause a little shorter or longer, so that what failed together is not all tried again at the same moment.
 * @param share by how much at most, such as 0.1
 * @param random from 0 to 1
 */
export function addJitter(seconds: number, share: number, random = Math.random()): number {
  return seconds * (1 + share * (2 * random - 1));
}
