/** `?a=1&b=2`, without empty or missing values. */
export function queryString(values: Readonly<Record<string, string | number | undefined | null>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return query && `?${query}`;
}
