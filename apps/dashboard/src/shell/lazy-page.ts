import { lazyRouteComponent } from '@tanstack/react-router';

const LOAD_FAILED =
  'This page could not be loaded. The server may be unreachable, or a new release may have replaced the page. Reload it to try again.';

/** Loads a page's code on the first visit. If that fails, the router's default behavior would leave the dashboard. */
export function lazyPage<Module extends Record<string, unknown>, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
) {
  const loadOrThrow = () =>
    load().catch((cause) => {
      throw new Error(LOAD_FAILED, { cause });
    });
  return lazyRouteComponent(loadOrThrow, name);
}
