import type { Section } from './section.js';

export const stats: Section = {
  id: 'stats',
  title: 'How mail has fared',
  blocks: [
    {
      paragraph:
        '`GET /api/v1/emails/stats` counts the emails of the last days by the [state](#states) that each has now; `days` is 1 to 31 days of 24 hours, 31 unless asked for. An email counts once, however many recipients it has. At most the newest 10,000 are counted: if there are more, `truncated` is true. All emails accepted from `since` on are counted, so with `truncated` it is the time of the oldest of them.',
    },
    {
      code: `{"object": "email_stats", "since": "2026-11-20T09:30:00.000Z", "emails": 104, "truncated": false,
 "statuses": {"scheduled": 1, "queued": 2, "sending": 0, "sent": 97, "deferred": 1, "bounced": 2,
              "failed": 1, "canceled": 0, "suppressed": 0, "delivered": 0, "complained": 0},
 "delivery_rate": 0.97, "bounce_rate": 0.02}`,
    },
    {
      list: [
        '`delivery_rate`: `sent`, `delivered` and `complained` together, divided by these and `bounced` and `failed`. A complaint counts as delivered, for the mail was there to complain about.',
        '`bounce_rate`: `bounced`, divided by the same.',
        'Both are from 0 to 1, rounded to four digits, and null as long as no email is in one of these five states. Emails that may still be delivered, and those that were `canceled` or `suppressed`, are in neither.',
      ],
    },
  ],
};
