import { startOver } from './start-over';

/** To the door, for who has logged out. What was typed here and not saved is forgotten, too. */
export function goToLogin(): void {
  sessionStorage.clear();
  startOver('/login');
}
