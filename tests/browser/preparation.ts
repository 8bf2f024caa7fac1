/** What `browser-server.ts` tells the browser tests of a run. */
export type Preparation = {
  /** Where the browser can be reached; null if none could be found or installed. */
  readonly endpoint: string | null;
  /** Why the dashboard could not be built. */
  readonly failure?: string;
};

export function readPreparation(): Preparation {
  const { TEST_BROWSER: found } = process.env;
  if (!found)
    throw new Error('The browser tests were not prepared. Run them from the root with `npm test` or `npx jest`.');
  return JSON.parse(found) as Preparation;
}
