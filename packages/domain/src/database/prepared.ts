/**
 * Options of a raw statement that is the same every time: each connection parses and plans it once.
 * Worth it where planning costs as much as the work, as for the ledger's statements.
 * @param name unique among all statements
 */
export function prepared(name: string): { name: string } {
  return { name };
}
