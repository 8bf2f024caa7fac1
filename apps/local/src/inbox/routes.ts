import { apiRoutes } from './api-routes.js';
import { pageRoutes } from './page-routes.js';
import type { Route } from './route.js';

export const routes: readonly Route[] = [...pageRoutes, ...apiRoutes];
