import express, { type RequestHandler, type Response, Router } from 'express';
import helmet from 'helmet';
import {
  findMessage,
  MAX_MESSAGES,
  type Mailbox,
  markRead,
  readRaw,
  removeMessages,
  type StoredMessage,
} from './mailbox.js';
import { parseMessage, summarize } from './parse-message.js';

export type Inbox = { readonly mailbox: Mailbox; readonly smtpUrl: string };

const MAX_BODY_BYTES = 64 * 1024;
const DEFAULT_LIMIT = 50;

/**
 * The part of Mailpit's API (https://mailpit.axllent.org/docs/api-v1/) that application tests use, and `/info` for the
 * pages.
 */
export function createInboxApi({ mailbox, smtpUrl }: Inbox): Router {
  const body = express.text({ type: () => true, limit: MAX_BODY_BYTES });
  const info = { SMTPServer: smtpUrl, MaxMessages: MAX_MESSAGES };
  const api = Router();
  api.use(apiPolicy, notStored);
  api.route('/messages').get(list(mailbox)).delete(body, remove(mailbox)).all(allowOnly('GET, DELETE'));
  api.route('/message/:id').get(show(mailbox)).all(allowOnly('GET'));
  api.route('/message/:id/raw').get(showRaw(mailbox)).all(allowOnly('GET'));
  api
    .route('/info')
    .get((_request, response) => void response.json(info))
    .all(allowOnly('GET'));
  return api;
}

/** `start`: how many of the newest messages to skip; `limit`: how many to return. Other values are ignored. */
function list(mailbox: Mailbox): RequestHandler {
  const summaries = new WeakMap<StoredMessage, ReturnType<typeof summarize>>();
  const load = async (message: StoredMessage) => {
    const raw = (await readRaw(mailbox, message.id)) ?? Buffer.alloc(0);
    const summary = summarize(await parseMessage(raw, message));
    summaries.set(message, summary);
    return summary;
  };
  return async ({ query }, response) => {
    const start = parseWholeNumber(query.start) ?? 0;
    const limit = parseWholeNumber(query.limit) ?? DEFAULT_LIMIT;
    const messages: object[] = [];
    // One at a time, because each raw message is in memory while it is summarized.
    for (const message of mailbox.messages.slice(start, start + limit)) {
      const { id, receivedAt, size } = message;
      const summary = summaries.get(message) ?? (await load(message));
      messages.push({ ID: id, Read: message.isRead, Created: receivedAt.toISOString(), Size: size, ...summary });
    }
    const unread = mailbox.messages.filter(({ isRead }) => !isRead).length;
    response.json({ total: mailbox.messages.length, unread, count: messages.length, start, messages });
  };
}

function parseWholeNumber(value: unknown): number | null {
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : null;
}

function remove(mailbox: Mailbox): RequestHandler {
  return async ({ body }, response) => {
    const ids = findIdsToRemove(mailbox, typeof body === 'string' ? body : '');
    if (ids) {
      await removeMessages(mailbox, ids);
      response.type('text').send('ok\n');
    } else response.status(400).json({ Error: 'The request body must be empty or {"IDs": ["..."]}.' });
  };
}

/** As in Mailpit, reading a message marks it as read. */
function show(mailbox: Mailbox): RequestHandler<{ id: string }> {
  return async ({ params }, response) => {
    const message = findMessage(mailbox, params.id);
    const raw = message ? await readRaw(mailbox, params.id) : null;
    if (!message || !raw) return sendNotFound(response);
    const parsed = await parseMessage(raw, message);
    await markRead(mailbox, message);
    response.json({ ID: message.id, ReturnPath: message.from, Size: message.size, ...parsed });
  };
}

function showRaw(mailbox: Mailbox): RequestHandler<{ id: string }> {
  return async ({ params }, response) => {
    const raw = findMessage(mailbox, params.id) ? await readRaw(mailbox, params.id) : null;
    if (raw) response.type('text/plain').send(raw);
    else sendNotFound(response);
  };
}

function sendNotFound(response: Response): void {
  response.status(404).json({ Error: 'message not found' });
}

/** Security headers with this content security policy. The inbox has no TLS. */
export function allowOnlySources(directives: Record<string, string[]>): RequestHandler {
  return helmet({ contentSecurityPolicy: { useDefaults: false, directives }, strictTransportSecurity: false });
}

/** In case a browser opens a message or JSON as a page. */
const apiPolicy = allowOnlySources({ sandbox: [], 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] });

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
function findIdsToRemove({ messages }: Mailbox, body: string): ReadonlySet<string> | null {
  const listed = body.trim() === '' ? [] : parseIds(body);
  if (!listed) return null;
  return new Set(listed.length > 0 ? listed : messages.map(({ id }) => id));
}

function parseIds(body: string): string[] | null {
  try {
    const { IDs = [] } = JSON.parse(body);
    return Array.isArray(IDs) ? IDs.map(String) : null;
  } catch {
    return null;
  }
}
