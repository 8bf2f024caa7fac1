import { scopes } from '@posthorn/contract';
import { createKey } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import { openWorkspace, type Stack } from '../../../bench/support/stack.js';
import { fillLists } from './fill-lists.js';

/** Credentials of one workspace, and ids of its resources. */
export type TestData = {
  readonly authorization: string;
  readonly cookie: string;
  readonly emailIds: readonly string[];
  readonly templateIds: readonly string[];
};

/** The size limit for html and for text, in bytes. */
const CONTENT_BYTES = 2_000_000;

/** Stores emails and templates that are as large as allowed, with several kinds of text, and fills all lists. */
export async function createTestData({ ctx }: Stack, url: string): Promise<TestData> {
  const { workspaceId, owner } = await openWorkspace(ctx, 'costs');
  const { text } = await createKey(ctx, operator, workspaceId, { name: 'costs', scopes: [...scopes], expiresAt: null });
  const authorization = `Bearer ${text}`;
  const post = async (path: string, body: object): Promise<{ id: string; headers: Headers }> => {
    const headers = { authorization, 'content-type': 'application/json' };
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (response.status >= 300) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return { id: ((await response.json()) as { id: string }).id, headers: response.headers };
  };
  const login = await post('/auth/login', owner);
  const emailIds: string[] = [];
  const templateIds: string[] = [];
  for (const content of ['x', 'ж', '"', '\u0001\n']) {
    const half = content.repeat(CONTENT_BYTES / 2 / Buffer.byteLength(content));
    // Control characters take up six bytes each in JSON, so a request can hold fewer of them.
    const html = content === '\u0001\n' ? half.slice(0, 800_000) : half + half;
    templateIds.push(
      (await post('/api/v1/templates', { name: 'T', subject: 's', html_body: html, text_body: html })).id,
    );
    emailIds.push((await post('/api/v1/emails', { to: ['a@example.com'], subject: 's', html, text: html })).id);
  }
  await fillLists(ctx, { workspaceId, emailIds, templateIds });
  const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  return { authorization, cookie, emailIds, templateIds };
}
