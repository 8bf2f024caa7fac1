import { reportUsage } from '@posthorn/domain';
import { route } from '../route.js';
import { viewUsage } from './view.js';

export const usageRoutes = [
  route({
    method: 'get',
    path: '/billing/usage',
    access: 'session',
    summary: "What the workspace used of its plan, and the last 31 days' sends",
    async handle(ctx, { caller }) {
      const report = await reportUsage(ctx, caller.workspace);
      return { status: 200, body: viewUsage(caller.workspace, report) };
    },
  }),
];
