import { actorOf } from '../audit-log/actor-of.js';
import { route } from '../route.js';
import { exportWorkspace } from './export-workspace.js';

export const exportRoutes = [
  route({
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
      return { status: 200, headers, stream: exportWorkspace(ctx, workspace, actorOf(request)) };
    },
  }),
];
