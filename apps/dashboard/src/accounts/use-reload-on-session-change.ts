import { useEffect, useState } from 'react';
import { useSession } from './session';

/** The cookie may have been moved to another workspace behind this page: it is then loaded anew. */
export function useReloadOnSessionChange(): void {
  const { workspace, user } = useSession();
  const current = `${user.id} ${workspace.id}`;
  const [initial] = useState(current);
  useEffect(() => {
    if (current !== initial) location.reload();
  }, [current, initial]);
}
