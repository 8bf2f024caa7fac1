import type { Route } from './route.js';

/** What clients leave out or add by mistake: a slash at the end, the prefix, or part of it. */
const CORRECTIONS: ReadonlyArray<(path: string) => string> = [
  (path) => path,
  (path) => `/api${path}`,
  (path) => `/api/v1${path}`,
  (path) => path.replace(/^\/api\//i, '/api/v1/'),
  (path) => path.replace(/^\/api\/v1\//i, '/'),
];

/** @returns the path of the route that the client probably meant; null if there is none */
export function suggestPath(path: string, routes: readonly Pick<Route, 'path'>[]): string | null {
  const clean = path.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
  for (const correct of CORRECTIONS) {
    const candidate = correct(clean);
    const route = routes.find((each) => matches(each.path, candidate));
    if (route) return applyCase(route.path, candidate);
  }
  return null;
}

/** @param pattern such as `/api/v1/emails/:id` */
function matches(pattern: string, path: string): boolean {
  const [expected, given] = [pattern.split('/'), path.split('/')];
  return (
    expected.length === given.length &&
    expected.every((part, index) => (isParameter(part) ? given[index] !== '' : part === given[index]?.toLowerCase()))
  );
}

/** The path in the case of the pattern, except for its parameters: the case of a token matters. */
function applyCase(pattern: string, path: string): string {
  const given = path.split('/');
  return pattern
    .split('/')
    .map((part, index) => (isParameter(part) ? given[index] : part))
    .join('/');
}

function isParameter(part: string): boolean {
  return part.startsWith(':');
}
