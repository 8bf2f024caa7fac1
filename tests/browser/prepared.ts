/** What the preparation of a run found out for its browser tests. */
export type Prepared = {
  /** The browser; null where there is none to be had. */
  readonly program: string | null;
  /** Why there is no dashboard to look at. */
  readonly failure?: string;
};

export function prepared(): Prepared {
  const { TEST_BROWSER: found } = process.env;
  if (!found)
    throw new Error('Nothing was prepared for the browser tests: start them with npm test or npx jest from the root.');
  return JSON.parse(found) as Prepared;
}
