import type { Erasure, Operations } from '@posthorn/contract';
import { ID, listOf, NOW } from './example-values.js';

const erasure: Erasure = {
  object: 'erasure',
  id: ID,
  status: 'finished',
  erased_emails: 12,
  waiting_emails: 0,
  requested_at: NOW,
  finished_at: '2026-11-20T09:33:00.000Z',
};

const pending = { ...erasure, status: 'pending', finished_at: null } as const;

type ErasureOperation = 'eraseRecipient' | 'listErasures' | 'getErasure';

export const erasureExamples: {
  readonly [Id in ErasureOperation]: { readonly request: null; readonly response: Operations[Id]['response'] };
} = {
  eraseRecipient: { request: null, response: { ...pending, erased_emails: 0 } },
  listErasures: { request: null, response: listOf(erasure) },
  getErasure: { request: null, response: { ...pending, waiting_emails: 1, waiting_email_ids: [ID] } },
};
