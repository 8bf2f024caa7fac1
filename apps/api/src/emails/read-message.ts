import {
  type Caller,
  encodedSize,
  findStoredMessage,
  isTest,
  Refusal,
  readAttachment,
  type StoredMessage,
} from '@posthorn/domain';
import { findSenderKey, type NotBuilt, readParts } from '@posthorn/message';
import type { ApiContext } from '../context.js';
import { pauseBetweenPieces } from '../load-limits/take-turn.js';
import type { RouteResponse } from '../route.js';
import { workspaceWithEmail } from './workspace-with-email.js';

/** As much as is written at once. */
const SLICE_BYTES = 250_000;

/**
 * The message of an email as a worker sends it, built again from what is stored (docs/decisions/0021-test-mode.md).
 * Live mail is for sessions only, because a leaked key must not read all the mail that was ever sent.
 * @throws Refusal not_found; unauthenticated for a key that asks for live mail; conflict if the message can no longer
 *   be built; unavailable if it cannot be built now
 */
export async function readMessage(ctx: ApiContext, caller: Caller, emailId?: string): Promise<RouteResponse> {
  const { id, workspace } = await workspaceWithEmail(ctx, caller, emailId);
  const stored = await findStoredMessage(ctx.db, workspace.id, id);
  if (!stored) throw new Refusal('not_found', { what: 'email' });
  if (caller.kind === 'key' && !isTest(workspace)) throw new Refusal('unauthenticated', { sessionOnly: true });
  const message = await buildInMemory(ctx, stored);
  const headers = {
    'Content-Type': 'message/rfc822',
    'Content-Length': String(message.length),
    'Content-Disposition': `attachment; filename="${id}.eml"`,
  };
  return { status: 200, headers, stream: inSlices(ctx, workspace.id, message) };
}

/** Waits until there is memory for the message. */
async function buildInMemory(ctx: ApiContext, stored: StoredMessage): Promise<Buffer> {
  const files = stored.attachments.reduce((sum, { size }) => sum + encodedSize(size), 0);
  const bytes = stored.contentBytes + files;
  await ctx.messageMemory.reserve(stored, bytes);
  try {
    const { parts } = built(
      await readParts({ ...ctx, templates: ctx.accepting.templates, messageMemory: RESERVED }, stored),
    );
    const { key } = built(await findSenderKey(ctx, stored));
    const contents = await Promise.all(stored.attachments.map((attachment) => contentOf(ctx, stored, attachment)));
    const rendered = (parts.html?.length ?? 0) + (parts.text?.length ?? 0);
    return await ctx.messages.build({ parts, attachments: stored.attachments, contents, key }, files + rendered);
  } finally {
    ctx.messageMemory.release(stored);
  }
}

const RESERVED = { reserve: async () => {}, release: () => {} };

/** @throws Refusal unless it could be built */
function built<Result extends object>(result: Result | NotBuilt): Result {
  if ('postponed' in result) throw new Refusal('unavailable');
  if ('fault' in result) throw new Refusal('conflict', { reason: `${result.fault}.` });
  return result;
}

async function contentOf(
  ctx: ApiContext,
  { workspaceId }: StoredMessage,
  attachment: StoredMessage['attachments'][number],
): Promise<Buffer> {
  const lines: Buffer[] = [];
  for await (const part of readAttachment(ctx, workspaceId, attachment)) lines.push(part);
  return Buffer.concat(lines);
}

/** Between two slices, the workspace waits for its turn, as it does after any response of this size. */
async function* inSlices(ctx: ApiContext, workspaceId: string, message: Buffer): AsyncGenerator<Buffer> {
  const end = ctx.exports.begin(workspaceId);
  try {
    for (let at = 0; at < message.length; at += SLICE_BYTES) {
      const slice = message.subarray(at, at + SLICE_BYTES);
      yield slice;
      await pauseBetweenPieces(ctx, workspaceId, slice.length);
    }
  } finally {
    end();
  }
}
