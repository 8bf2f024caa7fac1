import type { Actor } from '@posthorn/domain/audit-log';
import { recordExport, type Workspace } from '@posthorn/domain/workspaces';
import type { ApiContext } from '../context/api-context.js';
import { pauseBetweenPieces } from '../request-steps/take-turn.js';
import { toActor } from '../routing/caller.js';
import { defineRoute } from '../routing/route.js';
import { listExportedObjects } from './exported-objects.js';

export const exportRoutes = [
  defineRoute({
    operationId: 'exportWorkspace',
    method: 'get',
    path: '/api/v1/export',
    access: 'owner',
    summary: 'Download what is stored for the workspace, as one JSON object per line',
    contentType: 'application/x-ndjson',
    hasLargePages: true,
    rateLimit: 'heavyRequests',
    async handle(ctx, request) {
      const { workspace } = request.caller;
      const headers = {
        'Content-Type': 'application/x-ndjson; charset=utf-8',
        'Content-Disposition': `attachment; filename="${workspace.slug}.ndjson"`,
      };
      return { status: 200, headers, stream: exportWorkspace(ctx, workspace, toActor(request)) };
    },
  }),
];

const MIN_PIECE_CHARACTERS = 100_000;

/**
 * Yields the export of a workspace: one JSON object on each line. The last line has the number of lines before it, so
 * a file without that line is not complete. The workspace's other requests run between two pieces.
 * @param workspace the live workspace
 * @throws Refusal rate_limited at the first piece, if too many exports of the workspace are running
 */
async function* exportWorkspace(ctx: ApiContext, workspace: Workspace, actor: Actor): AsyncGenerator<string> {
  const turn = await ctx.turns.exports.begin(workspace.id);
  try {
    await recordExport(ctx, actor, workspace);
    let lines = 0;
    let piece = '';
    for await (const object of listExportedObjects(ctx, workspace)) {
      piece += `${JSON.stringify(object)}\n`;
      lines += 1;
      if (piece.length < MIN_PIECE_CHARACTERS) continue;
      await pauseBetweenPieces(ctx, workspace.id, piece.length);
      yield piece;
      piece = '';
    }
    yield `${piece}${JSON.stringify({ object: 'export_end', lines })}\n`;
  } finally {
    turn.end();
  }
}
