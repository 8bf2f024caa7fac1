import { reloadAllTabs } from './reload-all-tabs';

/** To the door, for who has logged out. What was typed here and not saved is forgotten, too. */
export function goToLogin(): void {
  sessionStorage.clear();
  reloadAllTabs('/login');
}
