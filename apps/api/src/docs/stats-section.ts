import type { Section } from './section.js';

export const statsSection: Section = {
  id: 'stats',
  title: 'Delivery statistics',
  blocks: [
    {
      paragraph:
        '`GET /api/v1/emails/stats` counts recent emails by their current [status](#states). `days` sets how far back it looks, from 1 to 31 days of 24 hours; the default is 31. An email counts once, however many recipients it has. At most the newest 10,000 emails are counted. If there are more, `truncated` is true. `since` is the start of the counted period. If `truncated` is true, it is the time when the oldest counted email was accepted.',
    },
    {
      language: 'json',
      code: `{"object": "email_stats", "since": "2026-11-20T09:30:00.000Z", "emails": 104, "truncated": false,
 "statuses": {"scheduled": 1, "queued": 2, "sending": 0, "sent": 97, "deferred": 1, "bounced": 2,
              "failed": 1, "expired": 0, "canceled": 0, "suppressed": 0, "delivered": 0, "complained": 0},
 "delivery_rate": 0.97, "bounce_rate": 0.02}`,
    },
    {
      list: [
        '`delivery_rate` is the number of `sent`, `delivered` and `complained` emails, divided by the number of these emails plus the `bounced` and `failed` ones. A complaint counts as delivered, because the email reached the recipient.',
        '`bounce_rate` is the number of `bounced` emails divided by the same total.',
        'Both rates are between 0 and 1, rounded to four decimal places. They are null while no email has one of these five statuses. Neither rate counts emails that may still be delivered, or `expired`, `canceled` and `suppressed` emails.',
      ],
    },
  ],
};
