import { linksTo } from '../members/member-client.js';
import type { TestApi } from '../open-test-api.js';
import { getCookie } from './session-cookie.js';

export const PASSWORD = 'correct horse battery';

type Session = { readonly Cookie: string };

export type SignedUp = {
  readonly session: Session;
  readonly userId: string;
  readonly workspaceId: string;
  /** The token of the mailed link that verifies the address. */
  readonly token: string;
};

/** Signs up, which leaves the address unverified. */
export async function signUp(t: TestApi, email: string): Promise<SignedUp> {
  const response = await t.api.post('/auth/signup').send({ email, password: PASSWORD }).expect(201);
  const { user, workspace } = response.body;
  const token = (await verificationTokens(t, email)).at(-1) ?? '';
  return { session: { Cookie: getCookie(response).pair }, userId: user.id, workspaceId: workspace.id, token };
}

/** The tokens that were mailed to verify an address, oldest first. */
export async function verificationTokens(t: TestApi, email: string): Promise<string[]> {
  const links = (await linksTo(t, email)).filter((link) => link.includes('/verify-email?'));
  return links.map((link) => new URL(link).searchParams.get('token') ?? '');
}

export function verify(t: TestApi, token: string, session: Record<string, string> = {}) {
  return t.api.post('/auth/verify-email').set(session).send({ token });
}

/** Creates a key with the scope emails:send. @returns headers with the key */
export async function addKey(t: TestApi, session: Session): Promise<{ Authorization: string }> {
  const fields = { name: 'CI', scopes: ['emails:send'] };
  const { body } = await t.api.post('/api/v1/api-keys').set(session).send(fields).expect(201);
  return { Authorization: `Bearer ${body.key}` };
}

/** Sends one email. @param to one recipient or several */
export function send(t: TestApi, headers: Record<string, string>, to: string | string[], more: object = {}) {
  const email = { to: [to].flat(), subject: 'Hi', text: 'Hi', ...more };
  return t.api.post('/api/v1/emails').set(headers).send(email);
}
