import { randomBytes } from 'node:crypto';
import type { Member } from '@posthorn/contract';
import type { SmtpSink } from '@posthorn/testing';
import { type Caller, callApi } from './call-api.js';
import { mailedLink } from './mailed-link.js';

/** Invites a person who is not an owner, and accepts the invitation. @returns how the person logs in */
export async function addMember(owner: Caller, sink: SmtpSink): Promise<{ email: string; password: string }> {
  const [email, password] = [`bob-${randomBytes(6).toString('hex')}@example.com`, 'staple of batteries'];
  await callApi<Member>(owner, 'POST', '/api/v1/members', { email, role: 'member' });
  const token = new URL(await mailedLink(sink, email)).searchParams.get('token');
  await callApi({ url: owner.url, headers: {} }, 'POST', '/auth/accept-invitation', { token, password });
  return { email, password };
}
