import { listBounces, reportDeliverability } from '@posthorn/domain';
import { keysThat } from '../access.js';
import { toPagination, viewList } from '../lists.js';
import { route } from '../route.js';
import { type BouncesQuery, bouncesQuery } from './request.js';
import { viewBounce, viewDeliverability } from './view.js';

export const deliverabilityRoutes = [
  route({
    operationId: 'getDeliverability',
    method: 'get',
    path: '/api/v1/deliverability',
    access: keysThat.readDeliverability,
    summary: 'Retrieve the bounce and complaint rates of live mail, with their limits',
    async handle(ctx, { caller: { workspace } }) {
      const report = await reportDeliverability(ctx, workspace);
      return { status: 200, body: viewDeliverability(ctx, workspace, report) };
    },
  }),

  route<undefined, BouncesQuery>({
    operationId: 'listBounces',
    method: 'get',
    path: '/api/v1/bounces',
    access: keysThat.readDeliverability,
    summary: 'List the recipients of live mail that bounced, newest first',
    query: bouncesQuery,
    async handle(ctx, { caller, query }) {
      const page = await listBounces(ctx.db, caller.workspace.liveId, query.class ?? null, toPagination(query));
      return { status: 200, body: viewList(page, viewBounce) };
    },
  }),
];
