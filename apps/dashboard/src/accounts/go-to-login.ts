import { reloadAllTabs } from './reload-all-tabs';

/** Call after logging out. Drafts and sample values in session storage must not reach the next user. */
export function goToLogin(): void {
  sessionStorage.clear();
  reloadAllTabs('/login');
}
