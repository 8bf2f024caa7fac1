import { useBlocker } from '@tanstack/react-router';
import { confirm } from '../../ui/confirm';

/**
 * Asks before the user leaves a page with unsaved changes.
 * @param onLoggedOut called without asking when the session has ended, to keep the changes
 */
export function useUnsavedGuard(changed: boolean, onLoggedOut: () => void): void {
  useBlocker({
    enableBeforeUnload: () => changed,
    async shouldBlockFn({ current, next }) {
      if (!changed || current.pathname === next.pathname) return false;
      if (next.pathname === '/login') {
        onLoggedOut();
        return false;
      }
      const leave = await confirm({
        title: 'Leave without saving?',
        text: 'Your changes to this template are not saved.',
        action: 'Discard changes',
        dismiss: 'Keep editing',
      });
      return !leave;
    },
  });
}
