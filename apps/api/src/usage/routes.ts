import { reportUsage } from '@posthorn/domain/workspaces';
import { route } from '../route.js';
import { viewUsage } from './view.js';

export const usageRoutes = [
  route({
    operationId: 'getUsage',
    method: 'get',
    path: '/billing/usage',
    access: 'session',
    summary: 'Retrieve the usage of the workspace, with the sends of the last 31 days',
    async handle(ctx, { caller }) {
      const report = await reportUsage(ctx, caller.workspace);
      return { status: 200, body: viewUsage(caller.workspace, report) };
    },
  }),
];
