import { createKey } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import type { Stack } from '../../../bench/support/stack.js';
import type { Download } from './attack.js';

/** Accepts a test email with a file, because keys may read the messages of test mail only. */
export async function createDownload(
  ctx: Stack['ctx'],
  { url, workspaceId, fileBytes }: { readonly url: string; readonly workspaceId: string; readonly fileBytes: number },
): Promise<Download> {
  const { text: key } = await createKey(ctx, operator, workspaceId, {
    name: 'download',
    mode: 'test',
    scopes: ['emails:send', 'emails:read'],
    expiresAt: null,
  });
  const file = { filename: 'a.bin', content: Buffer.alloc(fileBytes, 'x').toString('base64') };
  const email = { to: ['a@example.com'], subject: 's', text: 't', attachments: [file] };
  return { key, path: `/api/v1/emails/${await post(url, key, '/api/v1/emails', email)}/message` };
}

/** @returns the id of what the request creates */
export async function post(url: string, key: string, path: string, body: object): Promise<string> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (response.status >= 300) throw new Error(`${path} answered ${response.status}`);
  return ((await response.json()) as { id: string }).id;
}
