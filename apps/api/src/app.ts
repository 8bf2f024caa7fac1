import { Refusal } from '@posthorn/domain/errors';
import express, { type ErrorRequestHandler, type Express } from 'express';
import { accountRoutes, verificationRoutes } from './accounts/routes.js';
import { settingsRoutes, workspaceRoutes } from './accounts/settings-routes.js';
import { apiKeyRoutes } from './api-keys/routes.js';
import { auditLogRoutes } from './audit-log/routes.js';
import type { ApiContext } from './context/api-context.js';
import { buildDashboardRoutes, buildNotFoundPage, readDocument, serveDashboardFiles } from './dashboard/routes.js';
import { deliverabilityRoutes } from './deliverability/routes.js';
import { buildDocsRoutes, readSite } from './docs/routes.js';
import { domainRoutes } from './domains/routes.js';
import { emailRoutes } from './emails/routes.js';
import { sendRoutes } from './emails/send-routes.js';
import { eventRoutes } from './events/routes.js';
import { feedbackRoutes } from './feedback/routes.js';
import { healthRoutes } from './health/routes.js';
import { HttpRefusal } from './http/http-errors.js';
import { invitationRoutes, memberRoutes } from './members/routes.js';
import { erasureRoutes } from './privacy/erasure-routes.js';
import { exportRoutes } from './privacy/export-routes.js';
import { countRequestByAddress } from './request-steps/count-request.js';
import { buildRouteHandler } from './request-steps/route-handler.js';
import { sendProblem } from './request-steps/send-problem.js';
import { writeResponse } from './request-steps/write-response.js';
import type { Route } from './routing/route.js';
import { suggestPath } from './routing/suggest-path.js';
import { suppressionRoutes } from './suppressions/routes.js';
import { templateRoutes } from './templates/routes.js';
import { templateVersionRoutes } from './templates/version-routes.js';
import { unsubscribeRoutes } from './unsubscribe/routes.js';
import { usageRoutes } from './usage/routes.js';
import { webhookDeliveryRoutes } from './webhooks/delivery-routes.js';
import { webhookRoutes } from './webhooks/routes.js';

/** Every route but those of the documentation and the dashboard. */
export const documented: readonly Route[] = [
  ...sendRoutes,
  ...emailRoutes,
  ...eventRoutes,
  ...deliverabilityRoutes,
  ...webhookRoutes,
  ...webhookDeliveryRoutes,
  ...suppressionRoutes,
  ...templateRoutes,
  ...templateVersionRoutes,
  ...domainRoutes,
  ...apiKeyRoutes,
  ...workspaceRoutes,
  ...auditLogRoutes,
  ...erasureRoutes,
  ...exportRoutes,
  ...memberRoutes,
  ...accountRoutes,
  ...verificationRoutes,
  ...invitationRoutes,
  ...settingsRoutes,
  ...usageRoutes,
  ...unsubscribeRoutes,
  ...feedbackRoutes,
  ...healthRoutes,
];

export const routes: readonly Route[] = [...documented, ...buildDocsRoutes(readSite())];

/** The Express app with every route. The steps of a request are in request-steps/route-handler.ts. */
export function createApp(ctx: ApiContext): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('trust proxy', ctx.config.trustedProxyHops);

  const document = readDocument();
  const all = [...routes, ...buildDashboardRoutes(document)];
  addRoutes(ctx, app, all);
  if (document !== null) app.use(serveDashboardFiles(ctx.server.securityHeaders));
  const pageFor = buildNotFoundPage(document, routes);
  app.use((request, response) => {
    countRequestByAddress(ctx, request, response);
    const page = pageFor(request);
    if (page) return writeResponse(ctx, response, page);
    throw new Refusal('not_found', { what: 'path', meant: suggestPath(request.path, all) });
  });
  const countUnreadablePath: ErrorRequestHandler = (error, request, response, next) => {
    if (error instanceof URIError) countRequestByAddress(ctx, request, response);
    next(error);
  };
  app.use(countUnreadablePath);
  const fail = sendProblem(ctx);
  const onError: ErrorRequestHandler = (error, request, response, _next) => fail(error, request, response);
  app.use(onError);
  return app;
}

/**
 * Adds paths without parameters first, so that no other route reads the last part of `/api/v1/emails/batch` as an id.
 */
function addRoutes(ctx: ApiContext, app: Express, all: readonly Route[]): void {
  const hasParameters = ({ path }: Route) => path.includes(':');
  for (const group of [all.filter((route) => !hasParameters(route)), all.filter(hasParameters)]) {
    for (const route of group) app[route.method](listPaths(route), buildRouteHandler(ctx, route));
    refuseOtherMethods(ctx, app, group);
  }
}

function listPaths({ path, isMailedLink }: Route): string[] {
  return isMailedLink ? [path, `${path}/{*rest}`] : [path];
}

/**
 * Responds with 405 to every other method on the path of a route (RFC 9110, 15.5.6). Call it after adding the routes.
 */
function refuseOtherMethods(ctx: ApiContext, app: Express, routes: readonly Route[]): void {
  for (const [path, allowed] of listMethodsByPath(routes)) {
    // `app.all` would add a handler for every HTTP method, and each one slows down the start.
    app.route(path).all((request, response) => {
      response.locals.route = path;
      countRequestByAddress(ctx, request, response);
      throw new HttpRefusal('method_not_allowed', { method: request.method, allowed }).with({ allowed });
    });
  }
}

/** Express also answers HEAD on every GET route. */
function listMethodsByPath(routes: readonly Route[]): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const route of routes) {
    const names = route.method === 'get' ? ['GET', 'HEAD'] : [route.method.toUpperCase()];
    for (const path of listPaths(route)) methods.set(path, [...(methods.get(path) ?? []), ...names]);
  }
  return methods;
}
