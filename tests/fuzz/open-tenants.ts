import { createKey } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import { findUnsubscribeUrl } from '@posthorn/domain/links';
import type { Context } from '@posthorn/platform';
import { createTestWorkspace } from '@posthorn/testing';
import { hintsFor } from './hints.js';
import type { FuzzInputs } from './requests.js';

/** Every resource of the other tenant contains this text. No response may contain it. */
export const CANARY = 'canary-of-the-other-tenant';

const SESSIONS = 4;

/**
 * Creates two tenants with emails and templates. Requests come from the first one and use the ids of both.
 * @returns a function that reads the current ids, since requests create, change and remove resources
 */
export async function openTenants(ctx: Context, url: string): Promise<() => Promise<FuzzInputs>> {
  const [own, other] = [
    await createTestWorkspace(ctx, { planId: 'pro' }),
    await createTestWorkspace(ctx, { planId: 'pro', name: CANARY }),
  ];
  const narrow = await createKey(ctx, operator, own.workspaceId, {
    name: 'Narrow',
    scopes: ['emails:send'],
    expiresAt: null,
  });
  const test = await createKey(ctx, operator, own.workspaceId, {
    name: 'Test',
    mode: 'test',
    scopes: ['emails:send', 'emails:read', 'templates:write'],
    expiresAt: null,
  });
  const foreignKey = await createKey(ctx, operator, other.workspaceId, {
    name: CANARY,
    scopes: ['emails:send'],
    expiresAt: null,
  });
  const cookies = await Promise.all(Array.from({ length: SESSIONS }, () => logIn(url, own)));
  const foreignInvitation = await addInvitation(url, await logIn(url, other), `${CANARY}@example.com`);
  const foreignTemplate = await addTemplate(url, other.key, CANARY);
  const foreignEmail = await addEmail(url, other.key, CANARY);
  const credentials = [
    ...[own.key, own.key, narrow.text, test.text, test.text, test.text].map((key) => ({
      authorization: `Bearer ${key}`,
    })),
    ...cookies.map((cookie) => ({ cookie })),
    {},
  ];
  // The token is the only credential of a link, so one of the other tenant would show its name.
  const link = { id: foreignEmail, workspaceId: own.workspaceId, topic: 'news', to: ['joe@example.org'] };
  const unsubscribeToken = findUnsubscribeUrl(ctx.config, link)?.split('/').at(-1) ?? '';
  await addTemplate(url, own.key, 'Own');
  await addEmail(url, own.key, 'Own');
  await addEmail(url, test.text, 'Own test');

  return async () => {
    const templates = await listIds(`${url}/api/v1/templates?limit=10`, { authorization: `Bearer ${own.key}` });
    const live = await listIds(`${url}/api/v1/emails?limit=10`, bearer(own.key));
    const emails = [...live, ...(await listIds(`${url}/api/v1/emails?limit=5`, bearer(test.text)))];
    const keys = (await listIds(`${url}/api/v1/api-keys`, { cookie: cookies[0] ?? '' })).filter(
      (id) => id !== own.keyId && id !== narrow.key.id && id !== test.key.id,
    );
    return {
      ids: [
        ...templates,
        ...emails,
        ...keys.slice(0, 10),
        foreignTemplate,
        foreignEmail,
        foreignKey.key.id,
        foreignInvitation,
        other.userId,
        other.workspaceId,
      ],
      hints: hintsFor({
        templates: [...templates, foreignTemplate],
        cursors: [...emails, foreignEmail, '1', '2', '9999999999'],
        workspaces: [own.workspaceId, other.workspaceId],
        unsubscribeToken,
        login: own,
        simulatorDomain: ctx.config.simulatorDomain,
      }),
      credentials,
    };
  };
}

async function listIds(url: string, headers: Record<string, string>): Promise<string[]> {
  const response = await fetch(url, { headers });
  const { data } = (await response.json()) as { data: Array<{ id: string }> };
  return data.map(({ id }) => id);
}

async function logIn(url: string, { email, password }: { email: string; password: string }): Promise<string> {
  const response = await post(url, '/auth/login', { email, password });
  const [cookie] = response.headers.getSetCookie();
  return cookie?.split(';')[0] ?? '';
}

async function addInvitation(url: string, cookie: string, email: string): Promise<string> {
  return readId(await post(url, '/api/v1/members', { email, role: 'member' }, { Cookie: cookie }));
}

async function addTemplate(url: string, key: string, name: string): Promise<string> {
  return readId(
    await post(
      url,
      '/api/v1/templates',
      { name, subject: name, html_body: name, text_body: 'Hello {{name}}' },
      bearer(key),
    ),
  );
}

async function addEmail(url: string, key: string, subject: string): Promise<string> {
  return readId(await post(url, '/api/v1/emails', { to: ['jane@example.com'], subject, text: subject }, bearer(key)));
}

function bearer(key: string): Record<string, string> {
  return { Authorization: `Bearer ${key}` };
}

async function post(
  url: string,
  path: string,
  body: object,
  credentials: Record<string, string> = {},
): Promise<Response> {
  const headers = { 'Content-Type': 'application/json', ...credentials };
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`POST ${path} returned ${response.status}: ${await response.text()}`);
  return response;
}

async function readId(response: Response): Promise<string> {
  return ((await response.json()) as { id: string }).id;
}
