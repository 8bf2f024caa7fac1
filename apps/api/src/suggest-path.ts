import type { Route } from './route.js';

/** What clients leave out or add by mistake: a slash at the end, the prefix, or part of it. */
const CORRECTIONS: ReadonlyArray<(path: string) => string> = [
  (path) => path,
  (path) => `/api${path}`,
  (path) => `/api/v1${path}`,
  (path) => path.replace(/^\/api\//, '/api/v1/'),
  (path) => path.replace(/^\/api\/v1\//, '/'),
];

/** @returns the path of the route that the client probably meant; null if there is none */
export function suggestPath(path: string, routes: readonly Pick<Route, 'path'>[]): string | null {
  const clean = path
    .replace(/\/{2,}/g, '/')
    .replace(/(?<=.)\/$/, '')
    .toLowerCase();
  const candidates = CORRECTIONS.map((correct) => correct(clean));
  return candidates.find((candidate) => routes.some((route) => matches(route.path, candidate))) ?? null;
}

/** @param pattern such as `/api/v1/emails/:id` */
function matches(pattern: string, path: string): boolean {
  const [expected, given] = [pattern.split('/'), path.split('/')];
  return (
    expected.length === given.length &&
    expected.every((part, index) => (part.startsWith(':') ? given[index] !== '' : part === given[index]))
  );
}
