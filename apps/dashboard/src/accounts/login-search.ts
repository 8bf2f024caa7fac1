import { isOwnPath } from './is-own-path';
import { isLoginNotice, type LoginNotice } from './login-notice';

/** `next` is where to go once logged in. */
type LoginSearch = { next?: string | undefined; notice?: LoginNotice | undefined };

export function readLoginSearch({ next, notice }: Record<string, unknown>): LoginSearch {
  return {
    next: typeof next === 'string' && isOwnPath(next) ? next : undefined,
    notice: isLoginNotice(notice) ? notice : undefined,
  };
}
