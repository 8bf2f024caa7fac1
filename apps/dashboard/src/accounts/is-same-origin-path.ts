/** Prevents open redirects: `//host`, `/\host` and a tab between the slashes would lead to another site. */
export function isSameOriginPath(path: string): boolean {
  return (
    path.startsWith('/') &&
    URL.canParse(path, location.origin) &&
    new URL(path, location.origin).origin === location.origin &&
    !new URL(path, location.origin).pathname.startsWith('//')
  );
}
