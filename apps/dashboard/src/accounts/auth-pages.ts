import { createRoute } from '@tanstack/react-router';
import { authLayout } from '../layouts';
import { lazyPage } from '../shell/lazy-page';
import { readLoginSearch } from './login-search';
import { redirectIfLoggedIn } from './redirect-if-logged-in';
import { readTokenSearch } from './token-search';

/** The pages for visitors who are not logged in. */
export const authPages = [
  createRoute({
    getParentRoute: () => authLayout,
    path: '/login',
    validateSearch: readLoginSearch,
    beforeLoad: ({ context, search }) => redirectIfLoggedIn(context.queryClient, search.next),
    component: lazyPage(() => import('./login-page'), 'LoginPage'),
  }),
  createRoute({
    getParentRoute: () => authLayout,
    path: '/signup',
    beforeLoad: ({ context }) => redirectIfLoggedIn(context.queryClient),
    component: lazyPage(() => import('./signup-page'), 'SignupPage'),
  }),
  createRoute({
    getParentRoute: () => authLayout,
    path: '/forgot-password',
    component: lazyPage(() => import('./forgot-password-page'), 'ForgotPasswordPage'),
  }),
  createRoute({
    getParentRoute: () => authLayout,
    path: '/reset-password',
    validateSearch: readTokenSearch,
    component: lazyPage(() => import('./reset-password-page'), 'ResetPasswordPage'),
  }),
  createRoute({
    getParentRoute: () => authLayout,
    path: '/verify-email',
    validateSearch: readTokenSearch,
    component: lazyPage(() => import('./verify-email-page'), 'VerifyEmailPage'),
  }),
  createRoute({
    getParentRoute: () => authLayout,
    path: '/accept-invitation',
    validateSearch: readTokenSearch,
    component: lazyPage(() => import('./accept-invitation-page'), 'AcceptInvitationPage'),
  }),
] as const;
