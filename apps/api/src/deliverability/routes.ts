import { listBounces, reportDeliverability } from '@posthorn/domain/feedback';
import { readList } from '@posthorn/platform/replica';
import { keysThat } from '../access.js';
import { toPagination, viewList } from '../lists.js';
import { requireLiveMail } from '../require-live-mail.js';
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
    async handle(ctx, { caller }) {
      requireLiveMail(caller, 'deliverability');
      const report = await readList(ctx, (db) => reportDeliverability({ db }, caller.workspace));
      return { status: 200, body: viewDeliverability(ctx, caller.workspace, report) };
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
      const workspaceId = requireLiveMail(caller, 'deliverability');
      const page = await readList(ctx, (db) => listBounces(db, workspaceId, query.class ?? null, toPagination(query)));
      return { status: 200, body: viewList(page, viewBounce) };
    },
  }),
];
