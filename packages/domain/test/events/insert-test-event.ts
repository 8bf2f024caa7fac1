import type { Db } from '@posthorn/platform/postgres';
import { newId } from '@posthorn/platform/values';

type Options = { id?: string; streamId?: string; sequence?: number; type?: string | undefined; at?: Date };

/** Writes an event to the log. By default, it belongs to an email of its own. @returns its id */
export async function insertTestEvent(
  db: Db,
  workspaceId: string,
  { id = newId(), streamId = newId(), sequence = 1, type = 'email.sent', at = new Date() }: Options = {},
): Promise<string> {
  await db('events').insert({
    id,
    stream_id: streamId,
    sequence,
    workspace_id: workspaceId,
    type,
    created_at: at,
  });
  return id;
}
