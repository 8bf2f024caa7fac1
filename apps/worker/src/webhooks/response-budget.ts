import { limits } from '@posthorn/domain/limits';
import { countInProcess, perDay, readWindow, type WindowContext } from '@posthorn/domain/throttles';
import type { PostResult } from '@posthorn/webhooks';

const storedBytes = perDay(limits.webhookResponsesPerDay.max, 'bytes of responses');

type Response = Pick<PostResult, 'body' | 'bodyTruncated'>;

/** Returns a response as it is stored. */
export type CutResponse = (workspaceId: string, response: Response) => Response;

/**
 * Bounds what the receivers of a workspace can make this worker store, however often events are replayed. Above the
 * limit, a response is stored without its body.
 */
export function createResponseBudget(): CutResponse {
  const ctx: WindowContext = { windows: { fixed: new Map() } };
  return (workspaceId, { body, bodyTruncated }) => {
    const bytes = Buffer.byteLength(body);
    if (bytes > readWindow(ctx, storedBytes, workspaceId).remaining) return { body: '', bodyTruncated: true };
    countInProcess(ctx, storedBytes, workspaceId, bytes);
    return { body, bodyTruncated };
  };
}
