import type { Bounce, Deliverability, SendingWindow } from '@posthorn/contract';
import { ID, listOf, NOW } from './example-values.js';

const windowOf = (window: SendingWindow['window'], sent: number): SendingWindow => ({
  window,
  sent,
  bounced: sent / 100,
  hard_bounced: sent / 200,
  complained: 0,
  bounce_rate: 0.01,
  complaint_rate: 0,
  status: 'ok',
});

const windows = [windowOf('24h', 400), windowOf('7d', 2_000), windowOf('30d', 8_000)];

const deliverability: Deliverability = {
  object: 'deliverability',
  status: 'ok',
  paused: null,
  limits: {
    bounce_rate: { warning: 0.02, pause: 0.05 },
    complaint_rate: { warning: 0.001, pause: 0.003 },
    min_sent: 100,
    min_complaints: 2,
  },
  windows,
  domains: [{ domain_id: ID, name: 'mail.example.org', windows }],
  bounces: [
    { class: 'bad_mailbox', count: 10 },
    { class: 'mailbox_full', count: 10 },
  ],
};

const bounce: Bounce = {
  object: 'bounce',
  id: ID,
  email_id: ID,
  recipient: 'jane@example.com',
  class: 'bad_mailbox',
  reply: '550 5.1.1 User unknown',
  created_at: NOW,
};

export const deliverabilityExamples = {
  getDeliverability: { request: null, response: deliverability },
  listBounces: { request: null, response: listOf(bounce) },
} as const;
