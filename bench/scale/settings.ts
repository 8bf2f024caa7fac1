/** Samples of each figure; medians are taken of them. */
export const ROUNDS = Number(process.env.ROUNDS ?? 5);
/** How long requests are sent in a round. */
export const SECONDS = Number(process.env.SECONDS ?? 2);
export const CONNECTIONS = 50;
