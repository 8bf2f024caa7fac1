/** The condition that a column is in a range of ids. */
export type WithinIds = (column: string) => string;

/**
 * Lets Postgres open only the partitions of these ids when a prepared statement starts. `concat` is stable, so the plan
 * cannot depend on the ids. If it could, Postgres would expect to save work, and plan the statement again each time.
 * @param lowest the parameter with the lowest id
 */
export function withinIds(lowest: string, highest: string): WithinIds {
  return (column) => `${column} between concat(${lowest}::text)::uuid and concat(${highest}::text)::uuid`;
}
