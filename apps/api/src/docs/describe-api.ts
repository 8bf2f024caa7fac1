import { limits } from '@posthorn/domain/limits';
import { type ProblemCode, problems } from '../http/http-errors.js';
import { acceptsNoFields } from '../request-steps/read-request.js';
import { type Access, listScopes } from '../routing/access.js';
import type { Route } from '../routing/route.js';
import { requestTypeOf, responseSchemas, responseTypeOf } from './contract-types.js';
import { describeParameters, idempotencyKey } from './describe-parameters.js';
import { problemsOf } from './errors.js';
import { examples } from './examples.js';
import { problemExamples, problemSchema } from './problem-schema.js';
import { headersOfProblem, headersOfSuccess, responseHeaders } from './response-headers.js';
import { toJsonSchema } from './to-json-schema.js';
import { withBraces } from './with-braces.js';
import { withRules } from './with-rules.js';

type Json = { [name: string]: unknown };

/**
 * The routes as an OpenAPI 3.1 document. The types of bodies come from the contract package, the limits of requests
 * from the rules that check them.
 */
export function describeApi(routes: readonly Route[]): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = withBraces(route.path);
    paths[path] = { ...paths[path], [route.method]: operation(route) };
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Posthorn', version: '1', description: 'Send email over HTTPS. The guide is at /docs.' },
    servers: [{ url: '/' }],
    tags: [...new Set(Object.values(tags))].map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes,
      schemas: { ...responseSchemas, Problem: problemSchema },
      headers: responseHeaders,
      examples: problemExamples,
      parameters: { idempotencyKey },
    },
  };
}

const securitySchemes: Json = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key that has the scope listed for the operation. If several are listed, one is enough.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'posthorn_session',
    description: 'The session cookie that /auth/login sets. Over HTTPS its name starts with __Host-.',
  },
};

const PRIVACY = ['Privacy', 'Erase recipients, and export everything that is stored.'] as const;

const DELIVERABILITY = [
  'Deliverability',
  'How much mail bounces or is marked as spam, and which recipients bounced.',
] as const;

/** The tag for each path segment that directly follows /api/v1. */
export const tags = {
  emails: ['Emails', 'Send emails, follow them, and change those that have not been sent yet.'],
  events: ['Events', 'Everything that happened, in the order in which it happened.'],
  deliverability: DELIVERABILITY,
  bounces: DELIVERABILITY,
  webhooks: ['Webhooks', 'URLs of yours that get events.'],
  suppressions: ['Suppressions', 'Addresses that get no mail, and why.'],
  templates: ['Templates', 'Reusable subjects and bodies with placeholders.'],
  domains: ['Domains', 'Domains to send from, and their DNS records.'],
  'api-keys': ['API keys', 'Credentials for programs.'],
  workspace: ['Workspace', 'The workspace of the key or session.'],
  members: ['Members', 'The people in a workspace, and invitations.'],
  'audit-log': ['Audit log', 'Who changed what in the workspace.'],
  recipients: PRIVACY,
  erasures: PRIVACY,
  export: PRIVACY,
  auth: ['Account', 'Sign up, log in and manage your account and sessions.'],
  billing: ['Usage', 'Sends, caps and plan.'],
  service: ['Service', 'Health, metrics and documentation of the service.'],
} as const;

function tagOf(path: string): string {
  const first = path.replace('/api/v1', '').split('/')[1] ?? '';
  return tags[first in tags ? (first as keyof typeof tags) : 'service'][0];
}

function operation(route: Route): Json {
  const { access, operationId, path, summary } = route;
  const parameters = describeParameters(route);
  return {
    operationId,
    tags: [tagOf(path)],
    summary,
    description: descriptionOf(route),
    security: securityOf(access),
    ...(parameters.length > 0 && { parameters }),
    ...requestBodyOf(route),
    responses: responsesOf(route),
  };
}

function requestBodyOf({ body, isBatch, isForm, maxCsvBytes, operationId }: Route): Json {
  if (maxCsvBytes !== undefined) {
    const csv = { schema: { type: 'string' }, example: examples[operationId].request };
    return { requestBody: { required: true, content: { 'text/csv': csv } } };
  }
  if (isForm) return formBody;
  if (!body) return {};
  const [type, rules] = [requestTypeOf(operationId), toJsonSchema(body)];
  const schema = isBatch
    ? { type: 'array', minItems: 1, maxItems: limits.batch.max, items: withRules(type.items as Json, rules) }
    : withRules(type, rules);
  const example = examples[operationId].request;
  const required = isBatch === true || !acceptsNoFields(body);
  return { requestBody: { required, content: { 'application/json': { schema, example } } } };
}

/** The form of RFC 8058, section 3.2. */
const oneClickForm: Json = {
  schema: {
    type: 'object',
    properties: { 'List-Unsubscribe': { type: 'string', description: 'One-Click' } },
    required: ['List-Unsubscribe'],
  },
  example: { 'List-Unsubscribe': 'One-Click' },
};

const formBody: Json = {
  requestBody: {
    required: true,
    content: { 'application/x-www-form-urlencoded': oneClickForm, 'multipart/form-data': oneClickForm },
  },
};

/** The summary in one sentence, and who can call the operation. */
function descriptionOf({ access, ownersOnly, summary }: Route): string {
  const scopes = listScopes(access);
  const keys = scopes && `an API key with ${scopes.join(' or ')}`;
  const session = access === 'owner' || ownersOnly ? "an owner's session" : 'a session';
  if (access === 'public') return `${summary}. Needs no credential.`;
  if (access === 'any') return `${summary}. Needs an API key or a session.`;
  return `${summary}. Needs ${keys ? `${keys}, or ` : ''}${session}.`;
}

function securityOf(access: Access): Json[] {
  if (access === 'public') return [];
  if (access === 'session' || access === 'owner') return [{ session: [] }];
  const alternatives = listScopes(access)?.map((scope) => ({ bearer: [scope] }));
  return [...(alternatives ?? [{ bearer: [] }]), { session: [] }];
}

function responsesOf(route: Route): Json {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of problemsOf(route)) {
    const { status } = problems[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const refused = [...byStatus].map(([status, codes]) => [
    String(status),
    {
      description: codes.map((code) => `${code}: ${problems[code].title}`).join('; '),
      headers: headersOfProblem(codes),
      content: problemContent(codes),
    },
  ]);
  const succeeded = { description: route.summary, headers: headersOfSuccess(route), ...successContent(route) };
  const responses = { ...Object.fromEntries(refused), [route.success ?? 200]: succeeded };
  const { alsoResponds } = route;
  return alsoResponds ? { ...responses, [alsoResponds]: eitherOf(succeeded, responses[alsoResponds]) } : responses;
}

/** A status whose body may be that of a success or a problem. */
function eitherOf(succeeded: Json, refused: Json = {}): Json {
  const content = { ...(refused.content as Json), ...(succeeded.content as Json) };
  return { ...refused, ...succeeded, content };
}

function successContent({ contentType = 'application/json', alsoContentType, operationId, success }: Route): Json {
  if (success === 204) return {};
  const schema = contentType === 'application/json' ? responseTypeOf(operationId) : { type: 'string' };
  const example = examples[operationId].response;
  return {
    content: {
      [contentType]: { schema, ...(typeof example === 'object' && { example }) },
      ...(alsoContentType && { [alsoContentType]: { schema: { type: 'string' } } }),
    },
  };
}

function problemContent(codes: readonly ProblemCode[]): Json {
  const ofCodes = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
  return { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' }, examples: ofCodes } };
}
