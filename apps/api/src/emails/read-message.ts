import type { Caller } from '@posthorn/domain/accounts';
import { readAttachment } from '@posthorn/domain/attachments';
import { findStoredMessage, type StoredMessage } from '@posthorn/domain/emails';
import { conflict, Refusal } from '@posthorn/domain/errors';
import { measureBase64 } from '@posthorn/domain/format';
import { limits } from '@posthorn/domain/limits';
import { isTest } from '@posthorn/domain/workspaces';
import { buildWholeMessage, findSenderKey, type NotBuilt, readParts, type WholeMessageParts } from '@posthorn/message';
import type { ApiContext } from '../context/api-context.js';
import { pauseBetweenPieces, runInContentTurn } from '../request-steps/take-turn.js';
import { getWorkspaceWithEmail } from '../routing/caller.js';
import type { RouteRequest, RouteResponse } from '../routing/route.js';

const SLICE_BYTES = 250_000;

/**
 * The message of an email as a worker sends it, built again from what is stored (docs/decisions/0021-test-mode.md).
 * Live mail is for sessions only, because a leaked key must not expose all the mail that was ever sent.
 * @throws Refusal not_found; missing_scope for a key that asks for live mail; conflict if the message can no longer
 *   be built; unavailable if it cannot be built now
 */
export async function readMessage(
  ctx: ApiContext,
  { caller, params, response }: Pick<RouteRequest, 'caller' | 'params' | 'response'>,
): Promise<RouteResponse> {
  const { liveId } = caller.workspace;
  const stored = await runInContentTurn(ctx, liveId, () => findMessage(ctx, caller, params.id));
  const turn = await ctx.turns.messageReads.begin(liveId);
  const done = () => turn.end();
  try {
    const message = await buildInMemory(ctx, { liveId, response }, stored);
    const headers = {
      'Content-Type': 'message/rfc822',
      'Content-Length': String(message.length),
      'Content-Disposition': `attachment; filename="${stored.id}.eml"`,
    };
    return { status: 200, headers, stream: streamSlices(ctx, liveId, message, done) };
  } catch (error) {
    done();
    throw error;
  }
}

async function findMessage(ctx: ApiContext, caller: Caller, emailId?: string): Promise<StoredMessage> {
  const { id, workspace } = await getWorkspaceWithEmail(ctx, caller, emailId);
  const stored = await findStoredMessage(ctx.db, workspace.id, id);
  if (!stored) throw new Refusal('not_found', { what: 'email' });
  if (caller.kind === 'key' && !isTest(workspace)) throw new Refusal('missing_scope', { testMailOnly: true });
  return stored;
}

/**
 * Waits until there is memory for the message, which is released when the client has read it. This must not be called
 * during a turn: the read that uses the memory may belong to the same workspace and need turns to finish.
 */
async function buildInMemory(
  ctx: ApiContext,
  { liveId, response }: { readonly liveId: string; readonly response: RouteRequest['response'] },
  stored: StoredMessage,
): Promise<Buffer> {
  const { parts, key } = await runInContentTurn(ctx, liveId, () => prepareParts(ctx, stored));
  const files = stored.attachments.reduce((sum, { size }) => sum + measureBase64(size), 0);
  const bytes = files + (parts.html?.length ?? 0) + (parts.text?.length ?? 0);
  if (bytes > limits.smallBody.max) await ctx.downloads.reserveWhenFree(response, bytes);
  return runInContentTurn(ctx, liveId, async () => {
    const contents = await Promise.all(stored.attachments.map((attachment) => readContent(ctx, stored, attachment)));
    return buildDownload(ctx, { parts, attachments: stored.attachments, contents, key }, bytes);
  });
}

/**
 * Builds a message for a client to download. Large ones are built in a second thread, one at a time.
 * @param bytes how large the content is
 */
async function buildDownload(
  { threads }: Pick<ApiContext, 'threads'>,
  parts: WholeMessageParts,
  bytes: number,
): Promise<Buffer> {
  if (bytes <= limits.smallBody.max) return buildWholeMessage(parts);
  const message = await threads.messages.run(parts);
  return Buffer.from(message.buffer, message.byteOffset, message.byteLength);
}

async function prepareParts(ctx: ApiContext, stored: StoredMessage) {
  const templates = ctx.accepting.templates;
  const { parts } = assertBuilt(await readParts({ ...ctx, templates, messageMemory: RESERVED_BELOW }, stored));
  const { key } = assertBuilt(await findSenderKey(ctx, stored));
  return { parts, key };
}

/** The memory is reserved once the size of the rendered text is known. */
const RESERVED_BELOW = { reserve: async () => {}, keep: () => true, release: () => {} };

function assertBuilt<Result extends object>(result: Result | NotBuilt): Result {
  if ('postponed' in result) throw new Refusal('unavailable');
  if ('fault' in result) throw conflict(`${result.fault}, so the message cannot be built again.`);
  return result;
}

async function readContent(
  ctx: ApiContext,
  { workspaceId }: StoredMessage,
  attachment: StoredMessage['attachments'][number],
): Promise<Buffer> {
  const lines: Buffer[] = [];
  try {
    for await (const part of readAttachment(ctx, workspaceId, attachment)) lines.push(part);
  } catch (error) {
    ctx.log.error({ error }, 'attachment_not_read');
    throw new Refusal('unavailable');
  }
  return Buffer.concat(lines);
}

/** Between two slices, the workspace waits for its turn, as it does after any response of this size. */
async function* streamSlices(
  ctx: ApiContext,
  workspaceId: string,
  message: Buffer,
  done: () => void,
): AsyncGenerator<Buffer> {
  try {
    for (let at = 0; at < message.length; at += SLICE_BYTES) {
      const slice = message.subarray(at, at + SLICE_BYTES);
      yield slice;
      await pauseBetweenPieces(ctx, workspaceId, slice.length);
    }
  } finally {
    done();
  }
}
