import { isSameOriginPath } from './is-same-origin-path';
import { isLoginNotice, type LoginNotice } from './login-notice';

/** `next` is the page to open after login. */
type LoginSearch = { next?: string | undefined; notice?: LoginNotice | undefined };

export function readLoginSearch({ next, notice }: Record<string, unknown>): LoginSearch {
  return {
    next: typeof next === 'string' && isSameOriginPath(next) ? next : undefined,
    notice: isLoginNotice(notice) ? notice : undefined,
  };
}
