/** Reads one parameter. @returns undefined for a value that is not valid */
type Field<Value extends string> = (value: unknown) => Value | undefined;

type Search<Fields extends Record<string, Field<string>>> = {
  readonly [Name in keyof Fields]?: ReturnType<Fields[Name]>;
};

export const text: Field<string> = (value) => (typeof value === 'string' && value !== '' ? value : undefined);

export function oneOf<Value extends string>(...values: readonly Value[]): Field<Value> {
  return (value) => values.find((each) => each === value);
}

/** The position of a list page, as in the API and in the URL. */
export const cursor = { after: text, before: text };

export type Cursor = Search<typeof cursor>;

/**
 * Reads the search parameters that a page has in its URL. The router keeps parameters that `validateSearch` leaves out,
 * so an invalid one is returned as undefined.
 */
export function readSearch<Fields extends Record<string, Field<string>>>(fields: Fields) {
  return (search: Record<string, unknown>): Search<Fields> =>
    Object.fromEntries(Object.entries(fields).map(([name, read]) => [name, read(search[name])])) as Search<Fields>;
}

/** A page of this site, to open next. */
export const pagePath: Field<string> = (value) =>
  typeof value === 'string' && isSameOriginPath(value) ? value : undefined;

/** Prevents open redirects: `//host`, `/\host` and a tab between the slashes would lead to another site. */
export function isSameOriginPath(path: string): boolean {
  return (
    path.startsWith('/') &&
    URL.canParse(path, location.origin) &&
    new URL(path, location.origin).origin === location.origin &&
    !new URL(path, location.origin).pathname.startsWith('//')
  );
}
