import { useEffect, useState } from 'react';
import { useSession } from './session';

/** Another tab may have switched the user or the workspace. This page would then show the wrong data. */
export function useReloadOnSessionChange(): void {
  const { workspace, user } = useSession();
  const current = `${user.id} ${workspace.id}`;
  const [initial] = useState(current);
  useEffect(() => {
    if (current !== initial) location.reload();
  }, [current, initial]);
}
