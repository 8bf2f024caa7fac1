import { setTimeout as sleep } from 'node:timers/promises';
import type { TestApi } from '../open-test-api.js';

type Link = { readonly url: string; readonly token: string };

/** Waits until `count` reset links have been emailed to an address. @returns the links, oldest first */
export async function waitForLinks(t: TestApi, count: number, email = t.user.email): Promise<Link[]> {
  for (;;) {
    const contents = await resetMails(t, email);
    if (contents.length >= count) return contents.map(toLink);
    await sleep(10);
  }
}

function resetMails(t: TestApi, email: string): Promise<Array<{ text: string; html: string }>> {
  return t.ctx
    .db('email_contents')
    .select('text', 'html')
    .join('emails', 'emails.id', 'email_contents.email_id')
    .whereRaw('? = any("to")', [email])
    .whereLike('text', '%/reset-password?%')
    .orderBy('emails.id');
}

/** Requests a reset link and waits for its email. */
export async function requestLink(t: TestApi, email: string): Promise<Link> {
  const before = await resetMails(t, email);
  await t.api.post('/auth/forgot').send({ email }).expect(202);
  const link = (await waitForLinks(t, before.length + 1, email)).at(-1);
  if (!link) throw new Error('No link was emailed');
  return link;
}

function toLink({ text, html }: { text: string; html: string }): Link {
  const url = /http\S+/.exec(text)?.[0] ?? '';
  if (!html.includes(`href="${url}"`)) throw new Error('The two parts of the email have different links');
  return { url, token: new URL(url).searchParams.get('token') ?? '' };
}
