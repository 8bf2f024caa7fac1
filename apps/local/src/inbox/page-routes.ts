import { inboxPage } from './inbox-page.js';
import { inlineImages } from './inline-images.js';
import { listMessages } from './list-messages.js';
import { loadMessage } from './load-message.js';
import { markRead } from './mailbox.js';
import { messageNotFoundPage, messagePage } from './message-page.js';
import { downloadResponse, fileResponse, messageHtmlResponse, pageResponse } from './responses.js';
import type { Route } from './route.js';
import { script } from './script.js';
import { style } from './style.js';

export const pageRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/',
    async handle(inbox, { query }) {
      return pageResponse(inboxPage(inbox, await listMessages(inbox.mailbox, query)));
    },
  },

  {
    method: 'GET',
    path: '/messages/:id',
    async handle({ mailbox }, { params: { id = '' } }) {
      const found = await loadMessage(mailbox, id);
      if (!found) return pageResponse(messageNotFoundPage(), 404);
      await markRead(mailbox, found.message);
      return pageResponse(messagePage(found));
    },
  },

  {
    method: 'GET',
    path: '/messages/:id/html',
    async handle({ mailbox }, { params: { id = '' } }) {
      const found = await loadMessage(mailbox, id);
      return found ? messageHtmlResponse(inlineImages(found.parsed)) : pageResponse(messageNotFoundPage(), 404);
    },
  },

  {
    method: 'GET',
    path: '/messages/:id/raw',
    async handle({ mailbox }, { params: { id = '' } }) {
      const found = await loadMessage(mailbox, id);
      if (!found) return pageResponse(messageNotFoundPage(), 404);
      return downloadResponse(found.raw, { name: `${id}.eml`, type: 'message/rfc822' });
    },
  },

  {
    method: 'GET',
    path: '/messages/:id/attachments/:index',
    async handle({ mailbox }, { params: { id = '', index = '' } }) {
      const found = await loadMessage(mailbox, id);
      const file = /^\d{1,4}$/.test(index) ? found?.parsed.attachments[Number(index)] : undefined;
      return file ? downloadResponse(file.content, file) : pageResponse(messageNotFoundPage(), 404);
    },
  },

  {
    method: 'GET',
    path: '/inbox.css',
    async handle() {
      return fileResponse(style, 'text/css; charset=utf-8');
    },
  },

  {
    method: 'GET',
    path: '/inbox.js',
    async handle() {
      return fileResponse(script, 'text/javascript; charset=utf-8');
    },
  },
];
