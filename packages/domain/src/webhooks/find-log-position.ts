import { type Db, inPipeline, type Statement } from '@posthorn/platform/postgres';

/**
 * Where in a workspace's log the events from this time begin. Positions rise with time, so a binary search needs about
 * forty lookups, however long the log is.
 * @returns the position of the first event from this time on; null if there is none
 */
export async function findLogPosition(db: Db, workspaceId: string, at: Date): Promise<number | null> {
  const next = async (position: number) => {
    const [row] = await inPipeline(db, (send) => send<Place>(NEXT_EVENT, [workspaceId, position]));
    return row ?? null;
  };
  let found = await inPipeline(db, (send) => send<Place>(LAST_EVENT, [workspaceId])).then(([row]) => row ?? null);
  if (found === null || found.created_at < at) return null;
  let low = 0;
  let high = found.position;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    found = await next(middle);
    if (found === null || found.created_at >= at) high = middle;
    else low = found.position + 1;
  }
  return high;
}

type Place = { position: number; created_at: Date };

const NEXT_EVENT: Statement = {
  name: 'next_event',
  text: `
  select position, created_at from events where workspace_id = $1::uuid and position >= $2::bigint
  order by position limit 1`,
};

const LAST_EVENT: Statement = {
  name: 'last_event',
  text: 'select position, created_at from events where workspace_id = $1::uuid and position >= 0 order by position desc limit 1',
};
