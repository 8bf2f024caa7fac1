import { downloadAnswer, fileAnswer, mailAnswer, pageAnswer } from './answers.js';
import { listPage } from './list-page.js';
import { mailDocument } from './mail-document.js';
import { markRead } from './mailbox.js';
import { messagePage } from './message-page.js';
import { notFoundPage } from './not-found-page.js';
import { messagesOnPage } from './page.js';
import { readMessage } from './read-message.js';
import type { Route } from './route.js';
import { script } from './script.js';
import { style } from './style.js';

export const pageRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/',
    async handle(inbox, { query }) {
      return pageAnswer(listPage(inbox, await messagesOnPage(inbox.mailbox, query)));
    },
  },

  {
    method: 'GET',
    path: '/messages/:id',
    async handle({ mailbox }, { params: { id = '' } }) {
      const found = await readMessage(mailbox, id);
      if (!found) return pageAnswer(notFoundPage(), 404);
      await markRead(mailbox, found.message);
      return pageAnswer(messagePage(found));
    },
  },

  {
    method: 'GET',
    path: '/messages/:id/html',
    async handle({ mailbox }, { params: { id = '' } }) {
      const found = await readMessage(mailbox, id);
      return found ? mailAnswer(mailDocument(found.parsed)) : pageAnswer(notFoundPage(), 404);
    },
  },

  {
    method: 'GET',
    path: '/messages/:id/raw',
    async handle({ mailbox }, { params: { id = '' } }) {
      const found = await readMessage(mailbox, id);
      if (!found) return pageAnswer(notFoundPage(), 404);
      return downloadAnswer(found.raw, { name: `${id}.eml`, type: 'message/rfc822' });
    },
  },

  {
    method: 'GET',
    path: '/messages/:id/attachments/:index',
    async handle({ mailbox }, { params: { id = '', index = '' } }) {
      const found = await readMessage(mailbox, id);
      const file = /^\d{1,4}$/.test(index) ? found?.parsed.attachments[Number(index)] : undefined;
      return file ? downloadAnswer(file.content, file) : pageAnswer(notFoundPage(), 404);
    },
  },

  {
    method: 'GET',
    path: '/inbox.css',
    async handle() {
      return fileAnswer(style, 'text/css; charset=utf-8');
    },
  },

  {
    method: 'GET',
    path: '/inbox.js',
    async handle() {
      return fileAnswer(script, 'text/javascript; charset=utf-8');
    },
  },
];
