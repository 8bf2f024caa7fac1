import { setTimeout as sleep } from 'node:timers/promises';
import type { TestApi } from '../open-test-api.js';

type Link = { readonly url: string; readonly token: string };

/** Waits until `count` reset links have been emailed. @returns the links, oldest first */
export async function waitForLinks(t: TestApi, count: number): Promise<Link[]> {
  for (;;) {
    const contents = await resetMails(t);
    if (contents.length >= count) return contents.map(toLink);
    await sleep(10);
  }
}

function resetMails(t: TestApi): Promise<Array<{ text: string; html: string }>> {
  return t.ctx.db('email_contents').select('text', 'html').whereLike('text', '%/reset-password?%').orderBy('email_id');
}

/** Requests a reset link and waits for its email. */
export async function requestLink(t: TestApi, email: string): Promise<Link> {
  const before = await resetMails(t);
  await t.api.post('/auth/forgot').send({ email }).expect(202);
  const link = (await waitForLinks(t, before.length + 1)).at(-1);
  if (!link) throw new Error('No link was emailed');
  return link;
}

function toLink({ text, html }: { text: string; html: string }): Link {
  const url = /http\S+/.exec(text)?.[0] ?? '';
  if (!html.includes(`href="${url}"`)) throw new Error('The two parts of the email have different links');
  return { url, token: new URL(url).searchParams.get('token') ?? '' };
}
