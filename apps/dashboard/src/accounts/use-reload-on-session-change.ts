import { useEffect, useState } from 'react';
import { useSession } from './session';

/**
 * Reloads the page when another tab has switched the user or the workspace, because the page would show the wrong data.
 */
export function useReloadOnSessionChange(): void {
  const { workspace, user } = useSession();
  const current = `${user.id} ${workspace.id}`;
  const [initial] = useState(current);
  useEffect(() => {
    if (current !== initial) location.reload();
  }, [current, initial]);
}
