import {
  type BounceClass,
  type Bounce as BounceJson,
  bounceClasses,
  type Deliverability,
  type SendingWindow,
} from '@posthorn/contract';
import { type Bounce, listBounces } from '@posthorn/domain/bounces';
import {
  type DeliverabilityReport,
  reportDeliverability,
  toSendingRates,
  type WindowCounts,
  windowNames,
} from '@posthorn/domain/deliverability';
import { limits, MIN_BOUNCING_DOMAINS, MIN_COMPLAINTS_FOR_RATE, MIN_SENT_FOR_RATE } from '@posthorn/domain/limits';
import type { Workspace } from '@posthorn/domain/workspaces';
import { readList } from '@posthorn/platform/replica';
import Joi from 'joi';
import { viewPause } from '../accounts/session.js';
import type { ApiContext } from '../context/api-context.js';
import { keysThat } from '../routing/access.js';
import { requireLiveMail } from '../routing/caller.js';
import { buildListQuery, type PaginationQuery, toPagination, viewList } from '../routing/lists.js';
import { defineRoute } from '../routing/route.js';

type BouncesQuery = PaginationQuery & { class?: BounceClass };

export const deliverabilityRoutes = [
  defineRoute({
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

  defineRoute<undefined, BouncesQuery>({
    operationId: 'listBounces',
    method: 'get',
    path: '/api/v1/bounces',
    access: keysThat.readDeliverability,
    summary: 'List the recipients of live mail that bounced, newest first',
    query: buildListQuery<BouncesQuery>({ class: Joi.valid(...bounceClasses) }),
    async handle(ctx, { caller, query }) {
      const workspaceId = requireLiveMail(caller, 'deliverability');
      const page = await readList(ctx, (db) => listBounces(db, workspaceId, query.class ?? null, toPagination(query)));
      return { status: 200, body: viewList(page, viewBounce) };
    },
  }),
];

function viewDeliverability(
  { config }: Pick<ApiContext, 'config'>,
  workspace: Workspace,
  { status, counts, domains, bounces }: DeliverabilityReport,
): Deliverability {
  return {
    object: 'deliverability',
    status,
    paused: viewPause(workspace),
    limits: {
      bounce_rate: { warning: limits.bounceWarning.max / 100, pause: limits.bouncePause.max / 100 },
      complaint_rate: { warning: limits.complaintWarning.max / 100, pause: limits.complaintPause.max / 100 },
      min_sent: MIN_SENT_FOR_RATE,
      min_complaints: MIN_COMPLAINTS_FOR_RATE,
      min_bouncing_domains: MIN_BOUNCING_DOMAINS,
    },
    windows: viewWindows(counts),
    domains: domains.map(({ domainId, name, counts: own }) => ({
      domain_id: domainId,
      name: domainId === null ? config.platformSenderDomain : name,
      windows: viewWindows(own),
    })),
    bounces: bounces.map(({ bounceClass, count }) => ({ class: bounceClass, count })),
  };
}

function viewWindows(windows: WindowCounts): SendingWindow[] {
  return windowNames.map((window) => {
    const counts = windows[window];
    const { bounceRate, complaintRate, level } = toSendingRates(counts);
    return {
      window,
      sent: counts.sent,
      bounced: counts.bounced,
      hard_bounced: counts.hardBounced,
      counted_bounces: counts.countedBounces,
      complained: counts.complained,
      unauthenticated_complaints: counts.unauthenticatedComplaints,
      bounce_rate: bounceRate,
      complaint_rate: complaintRate,
      status: level,
    };
  });
}

function viewBounce({ id, emailId, recipient, bounceClass, reply, createdAt }: Bounce): BounceJson {
  return {
    object: 'bounce',
    id,
    email_id: emailId,
    recipient,
    class: bounceClass,
    reply,
    created_at: createdAt.toISOString(),
  };
}
