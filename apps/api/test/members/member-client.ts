import { setTimeout as sleep } from 'node:timers/promises';
import type { Response } from 'supertest';
import { getCookie } from '../accounts/session-cookie.js';
import { countLockWaiters } from '../count-lock-waiters.js';
import type { TestApi, TestTenant } from '../open-test-api.js';

export const path = '/api/v1/members';
export const PASSWORD = 'staple of batteries';

export type Session = { readonly Cookie: string };

export type Member = {
  readonly id: string;
  readonly email: string;
  readonly role: 'owner' | 'member';
  readonly status: string;
  readonly created_at: string;
  readonly expires_at: string | null;
};

export async function loginAs(t: TestApi, { email, password }: TestTenant['user']): Promise<Session> {
  return getSession(await t.api.post('/auth/login').send({ email, password }).expect(200));
}

export function getSession(response: Response): Session {
  return { Cookie: getCookie(response).pair };
}

export async function listMembers(t: TestApi, session: Session): Promise<Member[]> {
  return (await t.api.get(path).set(session).expect(200)).body.data;
}

/** Invites an address to the workspace of an owner's session. */
export async function invite(t: TestApi, session: Session, email: string, role = 'member'): Promise<Member> {
  return (await t.api.post(path).set(session).send({ email, role }).expect(201)).body;
}

/** The token of the last link that was emailed to an address. */
export async function tokenFor(t: TestApi, email: string): Promise<string> {
  return new URL((await linksTo(t, email)).at(-1) ?? '').searchParams.get('token') ?? '';
}

/** The links that were emailed to an address, oldest first. */
export async function linksTo(t: TestApi, email: string): Promise<string[]> {
  const contents = await t.ctx
    .db('email_contents')
    .select('text')
    .join('emails', 'emails.id', 'email_contents.email_id')
    .whereRaw('? = any("to")', [email])
    .orderBy('emails.id');
  return contents.map(({ text }: { text: string }) => /http\S+\?token=\S+/.exec(text)?.[0] ?? '');
}

export function accept(t: TestApi, token: string, password = PASSWORD) {
  return t.api.post('/auth/accept-invitation').send({ token, password });
}

/** Invites an address without an account and accepts the invitation. */
export async function join(
  t: TestApi,
  owner: Session,
  email: string,
  role = 'member',
): Promise<{ id: string; session: Session }> {
  await invite(t, owner, email, role);
  const response = await accept(t, await tokenFor(t, email)).expect(200);
  return { id: response.body.user.id, session: getSession(response) };
}

/**
 * Locks the workspace until `count` requests wait for it, then lets them run concurrently.
 * @param meanwhile runs while they wait
 */
export async function runConcurrently<Result>(
  t: TestApi,
  count: number,
  start: () => Array<PromiseLike<Result>>,
  meanwhile: () => PromiseLike<unknown> = () => Promise.resolve(),
): Promise<Result[]> {
  const lock = await t.ctx.db.transaction();
  await lock('workspaces').select('id').where({ id: t.workspace.id }).forUpdate();
  const responses = Promise.all(start());
  while ((await countLockWaiters(t)) < count) await sleep(10);
  await meanwhile();
  await lock.rollback();
  return responses;
}
