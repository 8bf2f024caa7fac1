import express, { type RequestHandler, type Response, Router } from 'express';
import helmet from 'helmet';
import { listMessages } from './list-messages.js';
import { loadMessage } from './load-message.js';
import { countUnread, findMessage, MAX_MESSAGES, type Mailbox, markRead, removeMessages } from './mailbox.js';
import { readRaw } from './message-files.js';
import { viewMessage, viewSummary } from './view.js';

/** The stored messages, and the address of the SMTP server that receives them. */
export type Inbox = { readonly mailbox: Mailbox; readonly smtpUrl: string };

const MAX_BODY_BYTES = 64 * 1024;

/**
 * The part of Mailpit's API (https://mailpit.axllent.org/docs/api-v1/) that application tests use, and `/info` for the
 * pages.
 */
export function inboxApi({ mailbox, smtpUrl }: Inbox): Router {
  const body = express.text({ type: () => true, limit: MAX_BODY_BYTES });
  const info = { SMTPServer: smtpUrl, MaxMessages: MAX_MESSAGES };
  const api = Router();
  api.use(securityHeaders, notStored);
  api.route('/messages').get(list(mailbox)).delete(body, remove(mailbox)).all(allowOnly('GET, DELETE'));
  api.route('/message/:id').get(show(mailbox)).all(allowOnly('GET'));
  api.route('/message/:id/raw').get(showRaw(mailbox)).all(allowOnly('GET'));
  api
    .route('/info')
    .get((_request, response) => void response.json(info))
    .all(allowOnly('GET'));
  return api;
}

function list(mailbox: Mailbox): RequestHandler {
  return async ({ query }, response) => {
    const { start, messages: listed } = await listMessages(mailbox, query);
    const messages = listed.map(({ message, summary }) => viewSummary(message, summary));
    const total = mailbox.messages.length;
    response.json({ total, unread: countUnread(mailbox), count: messages.length, start, messages });
  };
}

function remove(mailbox: Mailbox): RequestHandler {
  return async ({ body }, response) => {
    const ids = idsToRemove(mailbox, typeof body === 'string' ? body : '');
    if (ids) {
      await removeMessages(mailbox, ids);
      response.type('text').send('ok\n');
    } else response.status(400).json({ Error: 'The request body must be empty or {"IDs": ["..."]}.' });
  };
}

function show(mailbox: Mailbox): RequestHandler<{ id: string }> {
  return async ({ params }, response) => {
    const found = await loadMessage(mailbox, params.id);
    if (!found) return notFound(response);
    await markRead(mailbox, found.message);
    response.json(viewMessage(found));
  };
}

function showRaw(mailbox: Mailbox): RequestHandler<{ id: string }> {
  return async ({ params }, response) => {
    const raw = findMessage(mailbox, params.id) ? await readRaw(mailbox.folder, params.id) : null;
    if (raw) response.type('text/plain').send(raw);
    else notFound(response);
  };
}

function notFound(response: Response): void {
  response.status(404).json({ Error: 'message not found' });
}

/** In case a browser opens a message or JSON as a page. */
const securityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { sandbox: [], 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
  },
  strictTransportSecurity: false,
});

const notStored: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store');
  next();
};

function allowOnly(methods: string): RequestHandler {
  return (_request, response) => {
    response.status(405).set('Allow', methods).type('text');
    response.send(`Method not allowed. Use ${methods.replace(', ', ' or ')}.\n`);
  };
}

/** @returns all IDs if the body lists none, as in Mailpit; null if the body is invalid */
function idsToRemove({ messages }: Mailbox, body: string): ReadonlySet<string> | null {
  const listed = body.trim() === '' ? [] : readIds(body);
  if (!listed) return null;
  return new Set(listed.length > 0 ? listed : messages.map(({ id }) => id));
}

function readIds(body: string): string[] | null {
  try {
    const { IDs = [] } = JSON.parse(body);
    return Array.isArray(IDs) ? IDs.map(String) : null;
  } catch {
    return null;
  }
}
