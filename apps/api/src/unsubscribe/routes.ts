import { invalid, Refusal } from '@posthorn/domain/errors';
import { signalEvents } from '@posthorn/domain/events';
import { openUnsubscribeLink, type UnsubscribeLink } from '@posthorn/domain/links';
import {
  findLinkSender,
  findUnsubscribes,
  type LinkSender,
  subscribeAgain,
  unsubscribe,
} from '@posthorn/domain/unsubscribe';
import type { Request } from 'express';
import type { ApiContext } from '../context/api-context.js';
import type { FormFields } from '../http/parse-form.js';
import { defineRoute, type RouteResponse } from '../routing/route.js';
import { isTopic, TOPIC_EXPECTED } from '../validation/field-schemas.js';
import { type Done, renderInvalidLinkPage, renderUnsubscribePage } from './page.js';
import { type Language, languages } from './texts.js';

const path = '/u/:token';

/**
 * The links in mail that one can unsubscribe from. The token is the only credential: a mail program sends no cookie and
 * no other context (RFC 8058, 3.1), so other sites may post here too.
 */
export const unsubscribeRoutes = [
  defineRoute({
    operationId: 'getUnsubscribePage',
    method: 'get',
    path,
    access: 'public',
    summary: 'The page on which a recipient chooses which mail to get. It changes nothing by itself',
    contentType: 'text/html',
    alsoResponds: [404],
    // Programs that add parameters to every link in an email must not break it.
    ignoresQuery: true,
    isMailedLink: true,
    async handle(ctx, { params, request }) {
      const opened = await readLink(ctx, params.token);
      if (opened === null) return refuseLink(request);
      const language = chooseLanguage(request);
      return buildHtmlResponse(200, await renderPage(ctx, opened, language, null));
    },
  }),

  defineRoute<FormFields>({
    operationId: 'unsubscribe',
    method: 'post',
    path,
    access: 'public',
    summary: 'Unsubscribe the recipient of an email with one click (RFC 8058)',
    contentType: 'text/html',
    alsoResponds: [404],
    isForm: true,
    allowsOtherSites: true,
    ignoresQuery: true,
    isMailedLink: true,
    async handle(ctx, { params, body, request }) {
      const opened = await readLink(ctx, params.token);
      if (opened === null) return refuseLink(request);
      const language = chooseLanguage(request);
      if (isOneClick(body)) {
        await doUnsubscribe(ctx, opened, opened.link.topic, 'One-click unsubscribe in a mail program');
        return buildHtmlResponse(200, 'Unsubscribed\n');
      }
      const done = await change(ctx, opened, body);
      return buildHtmlResponse(200, await renderPage(ctx, opened, language, done));
    },
  }),
];

type OpenedLink = { readonly link: UnsubscribeLink; readonly sender: LinkSender };

/** Forged tokens are refused without a query. */
async function readLink({ config, db }: ApiContext, token = ''): Promise<OpenedLink | null> {
  // Programs put characters around links, such as < and >, a full stop, or the _ of Markdown, which a token may end in.
  const [plain = ''] = /[\w-]+/.exec(token) ?? [];
  const link = openUnsubscribeLink(config, plain) ?? openUnsubscribeLink(config, plain.replace(/_$/, ''));
  const sender = link && (await findLinkSender(db, link.workspaceId));
  return sender && { link, sender };
}

/** People get a page, and programs the same refusal as for any unknown path. @throws Refusal not_found */
function refuseLink(request: Request): RouteResponse {
  const isBrowser = request.headers.accept?.toLowerCase().includes('text/html') === true;
  if (!isBrowser) throw new Refusal('not_found', { what: 'link' });
  return buildHtmlResponse(404, renderInvalidLinkPage(chooseLanguage(request)));
}

/**
 * The body that RFC 8058, section 3.2 requires of mail programs. Some change its case, add white space, encode
 * its equals sign, or send nothing.
 * Every button of the page sends an action.
 */
function isOneClick(form: FormFields): boolean {
  const fields = Object.entries(form).map(([name, value]) => `${name.trim()}=${value.trim()}`.toLowerCase());
  return fields.length === 0 || fields.some((field) => /^list-unsubscribe=one-click=?$/.test(field));
}

/**
 * Does what a button on the page says. A recipient can leave the topic of the link or all topics, and take back what
 * they have left.
 * @throws Refusal validation_failed
 */
async function change(ctx: ApiContext, opened: OpenedLink, form: FormFields): Promise<Done> {
  const { link, sender } = opened;
  const { action } = form;
  const topic = form.topic ?? null;
  if (topic !== null && !isTopic(topic)) throw invalid({ field: 'topic', message: `must be ${TOPIC_EXPECTED}` });
  if (action === 'subscribe') {
    await subscribeAgain(ctx, sender, link, topic);
    return { action, topic };
  }
  if (action !== 'unsubscribe')
    throw invalid({ field: 'List-Unsubscribe', message: 'must be One-Click, as in RFC 8058, section 3.2' });
  if (topic !== null && topic !== link.topic)
    throw invalid({ field: 'topic', message: `must be ${link.topic}, the topic of the link` });
  await doUnsubscribe(ctx, opened, topic, 'Unsubscribed on the page of the link');
  return { action, topic };
}

async function doUnsubscribe(ctx: ApiContext, { sender, link }: OpenedLink, topic: string | null, detail: string) {
  if (await unsubscribe(ctx, sender, link, { topic, detail })) signalEvents(ctx);
}

async function renderPage(ctx: ApiContext, opened: OpenedLink, language: Language, done: Done | null): Promise<string> {
  const { sender, link } = opened;
  const left = await findUnsubscribes(ctx, sender, link);
  const names = new Set([link.topic, ...left.filter((topic) => topic !== null)]);
  const preferences = {
    sender: sender.name,
    address: link.address,
    topics: [...names].map((name) => ({ name, isSubscribed: !left.includes(name) })),
    isSubscribedToAny: !left.includes(null),
    isTest: sender.isTest,
  };
  return renderUnsubscribePage(language, preferences, done);
}

function chooseLanguage(request: Request): Language {
  const accepted = request.acceptsLanguages([...languages]);
  return languages.find((language) => language === accepted) ?? 'en';
}

/** Search engines must not list the page of a recipient. */
function buildHtmlResponse(status: number, body: string): RouteResponse {
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'X-Robots-Tag': 'noindex' };
  return { status, body, headers, page: 'unsubscribe' };
}
