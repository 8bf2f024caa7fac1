import { isLoginNotice, type LoginNotice } from './login-notice';
import { isOwnPath } from './own-path';

/** `next` is where to go once logged in. */
type LoginSearch = { next?: string | undefined; notice?: LoginNotice | undefined };

export function readLoginSearch({ next, notice }: Record<string, unknown>): LoginSearch {
  return {
    next: typeof next === 'string' && isOwnPath(next) ? next : undefined,
    notice: isLoginNotice(notice) ? notice : undefined,
  };
}
