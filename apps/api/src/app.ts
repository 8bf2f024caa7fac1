import express, { type Express } from 'express';
import { accountRoutes } from './accounts/routes.js';
import { settingsRoutes } from './accounts/settings-routes.js';
import { workspaceRoutes } from './accounts/workspace-routes.js';
import { apiKeyRoutes } from './api-keys/routes.js';
import type { ApiContext } from './context.js';
import { docsRoutes } from './docs/routes.js';
import { domainRoutes } from './domains/routes.js';
import { emailRoutes } from './emails/routes.js';
import { healthRoutes } from './health/routes.js';
import { invitationRoutes } from './members/invitation-routes.js';
import { memberRoutes } from './members/routes.js';
import { answer } from './middleware/answer.js';
import { authenticate } from './middleware/authenticate.js';
import { measure } from './middleware/measure.js';
import { refuseUnknownPath, sendProblem } from './middleware/problems.js';
import { readBody } from './middleware/read-body.js';
import { readQuery } from './middleware/read-query.js';
import { refuseCrossSite } from './middleware/refuse-cross-site.js';
import { nameRequest } from './middleware/request-id.js';
import { securityHeaders } from './middleware/security-headers.js';
import type { Route } from './route.js';
import { templateRoutes } from './templates/routes.js';
import { usageRoutes } from './usage/routes.js';

const documented: readonly Route[] = [
  ...emailRoutes,
  ...templateRoutes,
  ...domainRoutes,
  ...apiKeyRoutes,
  ...workspaceRoutes,
  ...memberRoutes,
  ...accountRoutes,
  ...invitationRoutes,
  ...settingsRoutes,
  ...usageRoutes,
  ...healthRoutes,
];

export const routes: readonly Route[] = [...documented, ...docsRoutes(documented)];

/** The order in which a request meets each rule; the rules are in middleware/ and the noun folders. */
export function createApp(ctx: ApiContext): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('trust proxy', ctx.config.trustedProxyHops);

  app.use(nameRequest());
  app.use(measure(ctx));
  app.use(securityHeaders());
  for (const route of routes) {
    app[route.method](
      route.path,
      refuseCrossSite(ctx),
      authenticate(ctx, route),
      readBody(ctx, route),
      readQuery(route),
      answer(ctx, route),
    );
  }
  app.use(refuseUnknownPath());
  app.use(sendProblem(ctx));
  return app;
}
