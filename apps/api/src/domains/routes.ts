import type { CreateDomainRequest, Domain as DomainJson, DomainRecord, UpdateDomainRequest } from '@posthorn/contract';
import {
  type CheckedRecord,
  checkDomain,
  createDomain,
  type DescribedDomain,
  deleteDomain,
  describeDomains,
  findDomain,
  listDomains,
  refuseTakenName,
  rotateKey,
  type SendingDomain,
  splitText,
  updateDomain,
} from '@posthorn/domain/domains';
import { Refusal } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { assertBelowLimit, countInProcess, type WindowLimit } from '@posthorn/domain/throttles';
import { isId } from '@posthorn/platform/values';
import Joi from 'joi';
import type { ApiContext } from '../context/api-context.js';
import { keysThat } from '../routing/access.js';
import { findDomainIds, toActor } from '../routing/caller.js';
import { buildListQuery, type PaginationQuery, toPagination, viewList } from '../routing/lists.js';
import { defineRoute, type RouteRequest, type RouteResponse } from '../routing/route.js';

const path = '/api/v1/domains';

const access = keysThat.manageDomains;

export const domainRoutes = [
  defineRoute<CreateDomainRequest>({
    operationId: 'createDomain',
    method: 'post',
    path,
    access,
    ownersOnly: true,
    summary: 'Add a domain; the response lists the DNS records to publish',
    success: 201,
    problems: ['conflict'],
    // The domain package validates the name.
    body: Joi.object<CreateDomainRequest>({ name: Joi.string().required() }),
    async handle(ctx, { caller, body, request }) {
      limitRequests(ctx, caller);
      const actor = toActor({ caller, request });
      return respond(ctx, await createDomain(ctx, actor, caller.workspace.liveId, body.name), 201);
    },
  }),

  defineRoute<undefined, PaginationQuery>({
    operationId: 'listDomains',
    method: 'get',
    path,
    access,
    keepsToDomains: true,
    summary: 'List domains, newest first',
    hasLargePages: true,
    query: buildListQuery(),
    async handle(ctx, { caller, query }) {
      const page = await listDomains(ctx.db, caller.workspace.liveId, toPagination(query), findDomainIds(caller));
      const rows = await describeDomains(ctx, page.rows);
      return { status: 200, body: viewList({ ...page, rows }, viewDomain) };
    },
  }),

  defineRoute({
    operationId: 'getDomain',
    method: 'get',
    path: `${path}/:id`,
    access,
    keepsToDomains: true,
    summary: 'Retrieve a domain with its DNS records and what the last check found',
    async handle(ctx, request) {
      return respond(ctx, await requireDomain(ctx, request));
    },
  }),

  defineRoute<UpdateDomainRequest>({
    operationId: 'updateDomain',
    method: 'patch',
    path: `${path}/:id`,
    access,
    keepsToDomains: true,
    ownersOnly: true,
    summary: 'Choose whether emails from a domain record opens and clicks',
    problems: ['conflict'],
    body: Joi.object<UpdateDomainRequest>({
      track_opens: Joi.boolean().strict(),
      track_clicks: Joi.boolean().strict(),
    })
      .min(1)
      .messages({ 'object.min': 'must have at least one of track_opens and track_clicks' }),
    async handle(ctx, request) {
      const domain = await requireDomain(ctx, request);
      const { track_opens: trackOpens, track_clicks: trackClicks } = request.body;
      const changes = { trackOpens: trackOpens ?? domain.trackOpens, trackClicks: trackClicks ?? domain.trackClicks };
      const changed = await updateDomain(ctx, toActor(request), domain, changes);
      if (!changed) throw new Refusal('not_found', { what: 'domain' });
      return respond(ctx, changed);
    },
  }),

  defineRoute({
    operationId: 'verifyDomain',
    method: 'post',
    path: `${path}/:id/verify`,
    access,
    keepsToDomains: true,
    ownersOnly: true,
    summary: 'Check the DNS records of a domain now',
    problems: ['conflict'],
    async handle(ctx, request) {
      const domain = await requireDomain(ctx, request);
      limitRequests(ctx, request.caller);
      const checked = await checkDomain(ctx, toActor(request), domain);
      if (!checked) throw new Refusal('not_found', { what: 'domain' });
      if (checked.isTaken) throw refuseTakenName();
      return respond(ctx, checked.domain);
    },
  }),

  defineRoute({
    operationId: 'rotateDomainKey',
    method: 'post',
    path: `${path}/:id/rotate-key`,
    access,
    keepsToDomains: true,
    ownersOnly: true,
    summary: 'Create a new DKIM key; it signs email as soon as its record is found in DNS',
    problems: ['conflict'],
    async handle(ctx, request) {
      const domain = await requireDomain(ctx, request);
      limitRequests(ctx, request.caller);
      await rotateKey(ctx, toActor(request), domain);
      return respond(ctx, domain);
    },
  }),

  defineRoute({
    operationId: 'deleteDomain',
    method: 'delete',
    path: `${path}/:id`,
    access,
    keepsToDomains: true,
    ownersOnly: true,
    summary: 'Delete a domain; waiting emails from it will fail',
    async handle(ctx, { caller, request, params: { id = '' } }) {
      const domain = { workspaceId: caller.workspace.liveId, id };
      const deleted = isWithinReach(caller, id) && (await deleteDomain(ctx, toActor({ caller, request }), domain));
      if (!deleted) throw new Refusal('not_found', { what: 'domain' });
      return { status: 200, body: { object: 'domain', id, deleted: true } };
    },
  }),
];

/** Requests that create a DKIM key or query DNS, per workspace. Both are expensive. */
export const domainRequests: WindowLimit = {
  limit: limits.domainRequests.max,
  windowSeconds: 60,
  what: 'domain requests',
};

function limitRequests(ctx: Pick<ApiContext, 'windows'>, { workspace }: RouteRequest['caller']): void {
  assertBelowLimit(ctx, domainRequests, workspace.liveId);
  countInProcess(ctx, domainRequests, workspace.liveId);
}

/** Whether this can be the id of a domain that the caller may see. */
function isWithinReach(caller: RouteRequest['caller'], id: string): boolean {
  return isId(id) && (findDomainIds(caller)?.includes(id) ?? true);
}

async function requireDomain(ctx: ApiContext, { caller, params: { id = '' } }: RouteRequest): Promise<SendingDomain> {
  const domain = isWithinReach(caller, id) ? await findDomain(ctx.db, caller.workspace.liveId, id) : null;
  if (!domain) throw new Refusal('not_found', { what: 'domain' });
  return domain;
}

async function respond(ctx: ApiContext, domain: SendingDomain, status = 200): Promise<RouteResponse> {
  const [described] = await describeDomains(ctx, [domain]);
  if (!described) throw new Refusal('not_found', { what: 'domain' });
  return { status, body: viewDomain(described) };
}

export function viewDomain(domain: DescribedDomain): DomainJson {
  return {
    object: 'domain',
    id: domain.id,
    name: domain.name,
    status: domain.status,
    records: domain.records.map(viewRecord),
    track_opens: domain.trackOpens,
    track_clicks: domain.trackClicks,
    tracking_available: domain.canTrack,
    created_at: domain.createdAt.toISOString(),
    verified_at: domain.verifiedAt?.toISOString() ?? null,
    checked_at: domain.checkedAt?.toISOString() ?? null,
  };
}

function viewRecord({
  record,
  type,
  name,
  value,
  ttl,
  priority,
  required,
  keyState,
  finding,
}: CheckedRecord): DomainRecord {
  const { status, found, message, failure } = finding;
  return {
    record,
    type,
    name,
    value,
    ...(type === 'TXT' && { value_split: splitText(value) }),
    ttl,
    ...(priority !== null && { priority }),
    status,
    required,
    ...(keyState !== null && { key: keyState }),
    found: [...found],
    message: failure === null ? message : `The DNS lookup failed: ${failure}. The status has not changed.`,
  };
}
