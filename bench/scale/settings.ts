/** Number of samples of each figure, whose median is reported. */
export const ROUNDS = Number(process.env.ROUNDS ?? 5);
/** Duration of the load in a round. */
export const SECONDS = Number(process.env.SECONDS ?? 2);
export const CONNECTIONS = 50;
