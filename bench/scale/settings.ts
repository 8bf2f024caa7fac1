/** The number of samples for each figure. The report shows their median. */
export const ROUNDS = Number(process.env.ROUNDS ?? 5);
/** How long the load lasts in a round. */
export const SECONDS = Number(process.env.SECONDS ?? 2);
export const CONNECTIONS = 50;
