import { hash } from 'node:crypto';
import { insertEvents, type RequestToken } from '@posthorn/domain/bounces';
import { Refusal } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { type FeedbackRelay, findFeedbackRelay } from '@posthorn/domain/relays';
import { providers, type Verification } from '@posthorn/feedback/providers';
import { openSecret } from '@posthorn/platform/secrets';
import { HOUR_MS } from '@posthorn/platform/values';
import type { Request, Response } from 'express';
import type { ApiContext } from '../context/api-context.js';
import { readBytes } from '../http/request-body.js';
import { type EventsJob, type EventsResult, readEvents } from '../provider-events/read-events.js';
import { countRequestByAddress } from '../request-steps/count-request.js';
import { defineRoute, type RouteResponse } from '../routing/route.js';
import { confirmTopic } from './amazon-sns.js';
import { noteEvent, noteRefusal } from './note-feedback.js';

/** Anything else is refused without a query. */
const TOKEN = /^[\w-]{40,64}$/;

/**
 * The events of a relay's provider. The token says which relay they are about, and the provider proves them in its own
 * way. What is verified is answered with 200 whatever is in it, because providers repeat what they get an error for, or
 * give up.
 */
export const feedbackRoutes = [
  defineRoute({
    operationId: 'postFeedback',
    method: 'post',
    path: '/feedback/:token',
    access: 'public',
    summary: 'Take the events of the provider of a relay',
    contentType: 'text/plain',
    alsoResponds: [401, 406],
    allowsOtherSites: true,
    ignoresQuery: true,
    readsBodyItself: true,
    // A provider may send thousands of events a minute, so only refused requests count.
    rateLimit: 'none',
    problems: ['rate_limited'],
    async handle(ctx, { params, request, response }) {
      const { token = '' } = params;
      const relay = TOKEN.test(token) ? await findFeedbackRelay(ctx.db, token, ctx.now()) : null;
      if (relay === null) {
        countRequestByAddress(ctx, request, response);
        throw new Refusal('not_found', { what: 'feedback URL' });
      }
      return receive(ctx, relay, { request, response });
    },
  }),
];

type Exchange = { readonly request: Request; readonly response: Response };

async function receive(ctx: ApiContext, relay: FeedbackRelay, { request, response }: Exchange): Promise<RouteResponse> {
  const rawBody = await readBytes(request, response, { maxBytes: limits.feedbackBody.max, bodies: ctx.bodies });
  const verification = await providers[relay.feedback].verify({
    headers: request.headers,
    rawBody,
    secrets: relay.secrets.map(({ id, sealed }) => openSecret(ctx.config, sealed, id).toString()),
    now: ctx.now(),
    pinnedTopic: relay.topic,
    fetchCertificate: ctx.feedback.fetchCertificate,
  });
  switch (verification.result) {
    case 'events':
      return takeEvents(ctx, relay, rawBody, verification.token);
    case 'confirm': {
      const result = await confirmTopic(ctx, relay, verification);
      if (result === 'confirmed') return succeed(ctx, relay, result);
      return refuse(ctx, relay, toOtherTopic(verification.topic), { request, response });
    }
    case 'unsubscribed': {
      const why = `The SNS topic ${verification.topic} was unsubscribed, so no events come any more. Subscribe it again.`;
      await noteRefusal(ctx, relay.id, 'unsubscribed', why);
      return succeed(ctx, relay, 'unsubscribed');
    }
    case 'refused':
      return refuse(ctx, relay, verification, { request, response });
    default:
      return verification satisfies never;
  }
}

function succeed({ metrics }: ApiContext, { feedback }: FeedbackRelay, result: string): RouteResponse {
  metrics.feedbackRequests.inc({ feedback, result });
  return { status: 200, body: 'OK\n', headers: TEXT, rate: null };
}

const TEXT = { 'Content-Type': 'text/plain; charset=utf-8' };

type RefusedRequest = Pick<Extract<Verification, { result: 'refused' }>, 'status' | 'wwwAuthenticate' | 'detail'> & {
  readonly reason: string;
};

function toOtherTopic(topic: string): RefusedRequest {
  const detail = `The SNS topic ${topic} is not the one that was confirmed first.`;
  return { status: 401, wwwAuthenticate: null, reason: 'other_topic', detail };
}

/** Mailgun tries again for hours after any status but 406. */
const TOKEN_USED: RefusedRequest = {
  status: 406,
  wwwAuthenticate: null,
  reason: 'token_used',
  detail: 'The token of the request was used before, with another body.',
};

/** @throws Refusal unavailable, or rate_limited if the client's requests were refused too often */
async function refuse(
  ctx: ApiContext,
  { id, feedback }: FeedbackRelay,
  { status, wwwAuthenticate, reason, detail }: RefusedRequest,
  { request, response }: Exchange,
): Promise<RouteResponse> {
  ctx.metrics.feedbackRequests.inc({ feedback, result: reason });
  await noteRefusal(ctx, id, reason, detail);
  countRequestByAddress(ctx, request, response);
  if (status === 503) throw new Refusal('unavailable');
  const headers = { ...TEXT, ...(wwwAuthenticate !== null && { 'WWW-Authenticate': wwwAuthenticate }) };
  return { status, body: `${detail}\n`, headers, rate: null };
}

/** The longest time for which a signature of Mailgun is believed, with some time for a clock that is wrong. */
const TOKEN_MS = 13 * HOUR_MS;

async function takeEvents(
  ctx: ApiContext,
  relay: FeedbackRelay,
  rawBody: Buffer,
  token: string | null,
): Promise<RouteResponse> {
  const { id: relayId, feedback } = relay;
  const once: RequestToken | null =
    token === null
      ? null
      : {
          token,
          bodyDigest: hash('sha256', rawBody, 'buffer'),
          expiresAt: new Date(ctx.now().getTime() + TOKEN_MS),
        };
  const { rows, counts } = await read(ctx, { feedback, relayId, bytes: rawBody });
  const isStored = (rows === null && once === null) || (await insertEvents(ctx.db, relayId, rows ?? '[]', once));
  if (!isStored) return refuseToken(ctx, relay);
  for (const [event, count] of Object.entries(counts)) ctx.metrics.feedbackEvents.inc({ feedback, event }, count);
  await noteEvent(ctx, relayId);
  return succeed(ctx, relay, 'events');
}

async function refuseToken(ctx: ApiContext, { id, feedback }: FeedbackRelay): Promise<RouteResponse> {
  const { status, reason, detail } = TOKEN_USED;
  ctx.metrics.feedbackRequests.inc({ feedback, result: reason });
  await noteRefusal(ctx, id, reason, detail);
  return { status, body: `${detail}\n`, headers: TEXT, rate: null };
}

/** Reading a larger body takes several milliseconds. */
const MAX_BYTES_ON_MAIN_THREAD = limits.smallBody.max;

/** @throws Refusal unavailable if the thread stopped; the provider then tries again */
async function read({ log, threads }: ApiContext, job: EventsJob): Promise<EventsResult> {
  if (job.bytes.length <= MAX_BYTES_ON_MAIN_THREAD) return readEvents(job);
  try {
    return await threads.events.run(job);
  } catch (error) {
    log.error({ error, relay: job.relayId }, 'feedback_not_read');
    throw new Refusal('unavailable');
  }
}
