import { useEffect, useState } from 'react';
import { useSession } from './session';

/** The cookie may have been moved to another workspace behind this page: it is then loaded anew. */
export function useSameWorkspace(): void {
  const { workspace, user } = useSession();
  const now = `${user.id} ${workspace.id}`;
  const [first] = useState(now);
  useEffect(() => {
    if (now !== first) location.reload();
  }, [now, first]);
}
