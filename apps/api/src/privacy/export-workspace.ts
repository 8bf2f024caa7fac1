import type { Actor } from '@posthorn/domain/audit-log';
import type { Workspace } from '@posthorn/domain/workspaces';
import { recordExport } from '@posthorn/domain/workspaces';
import type { ApiContext } from '../context.js';
import { pauseBetweenPieces } from '../load-limits/take-turn.js';
import { exportedObjects } from './exported-objects.js';

/** A piece is written as soon as it has this many characters. */
const MIN_PIECE_CHARACTERS = 100_000;

/**
 * Yields the export of a workspace: one JSON object on each line. The last line has the number of lines before it, so
 * a file without that line is not complete. The workspace's other requests run between two pieces.
 * @param workspace the live workspace
 * @throws Refusal rate_limited at the first piece, if too many exports of the workspace are running
 */
export async function* exportWorkspace(ctx: ApiContext, workspace: Workspace, actor: Actor): AsyncGenerator<string> {
  const done = ctx.exports.begin(workspace.id);
  try {
    await recordExport(ctx, actor, workspace);
    let lines = 0;
    let piece = '';
    for await (const object of exportedObjects(ctx, workspace)) {
      piece += `${JSON.stringify(object)}\n`;
      lines += 1;
      if (piece.length < MIN_PIECE_CHARACTERS) continue;
      await pauseBetweenPieces(ctx, workspace.id, piece.length);
      yield piece;
      piece = '';
    }
    yield `${piece}${JSON.stringify({ object: 'export_end', lines })}\n`;
  } finally {
    done();
  }
}
