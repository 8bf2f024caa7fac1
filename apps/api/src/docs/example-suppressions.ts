import type { Operations, Suppression } from '@posthorn/contract';
import { ID, listOf, NOW } from './example-values.js';

const bounced: Suppression = {
  object: 'suppression',
  id: ID,
  address: 'jane@example.com',
  topic: null,
  reason: 'hard_bounce',
  email_id: ID,
  detail: '550 5.1.1 User unknown',
  created_at: NOW,
};

const added: Suppression = { ...bounced, reason: 'manual', email_id: null, detail: null };

type SuppressionOperation =
  | 'createSuppression'
  | 'listSuppressions'
  | 'getSuppression'
  | 'deleteSuppression'
  | 'importSuppressions';

export const suppressionExamples: { readonly [Id in SuppressionOperation]: Operations[Id] } = {
  createSuppression: { request: { address: 'jane@example.com' }, response: added },
  listSuppressions: { request: null, response: listOf(bounced) },
  getSuppression: { request: null, response: bounced },
  deleteSuppression: { request: null, response: { object: 'suppression', id: ID, deleted: true } },
  importSuppressions: {
    request: 'address,reason,topic\njane@example.com,hard_bounce,\njoe@example.com,unsubscribe,newsletter\n',
    response: { object: 'suppression_import', rows: 2, added: 2 },
  },
};
