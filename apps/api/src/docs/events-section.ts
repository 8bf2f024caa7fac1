import { eventTypes } from '@posthorn/contract';
import { limits } from '@posthorn/domain/limits';
import { formatWindow } from '@posthorn/domain/throttles';
import { webhookRetryPauses } from '@posthorn/domain/webhooks';
import { formatCount } from '@posthorn/platform/values';
import type { Section } from './section.js';

const typeList = eventTypes.map((type) => `\`${type}\``).join(', ');
const retryPauses = new Intl.ListFormat('en').format(webhookRetryPauses.map(formatWindow));

export const eventsSection: Section = {
  id: 'events',
  title: 'Events',
  blocks: [
    {
      paragraph:
        'Events tell what happens: every change of an email or a recipient, when a domain is verified, withdrawn or gets a new key, and reaching 80 or 100 percent of what a period includes. `GET /api/v1/events` lists the events of your workspace, oldest first. Reading them needs the scope `emails:read`.',
    },
    {
      paragraph:
        'To follow the log, pass the `next_cursor` of each response as `after` in the next request. `next_cursor` is set even on the last page, so you can continue there later. It is null only if you passed no `after` and there are no events yet. A reader that does this sees every event once. No event is ever added before a cursor that you have received. To start with what happens from now on, use `after=latest`.',
    },
    {
      paragraph: `\`sequence\` counts the events of one email from 1. Use it to put them in order. \`type\` returns only events of one type. A page then looks at up to ${formatCount(limits.scannedEvents.max)} events, so it can be empty although \`has_more\` is true. \`email_id\` returns only the events of one email.`,
    },
    {
      paragraph:
        "`data` of an email's event has the `email_id`, the `recipient` (null if the event concerns the whole email), the `status` after the event, the `reason`, such as the reply of the mail server, and the `mode`. `data` of a domain's event has its `domain_id`, `name`, `status` and `reason`, such as the records that are missing or wrong, and that of `usage.threshold` has the `period`, the `percent`, how many sends were `used`, and the `limit`. No event contains a subject, a body or a variable. The only part of the content that one can contain is the URL of a clicked link.",
    },
    { paragraph: `The types are: ${typeList}.` },
    {
      list: [
        '`email.accepted` is the first event of every email. `email.scheduled` follows if it is scheduled, and again when it is rescheduled.',
        '`email.ambiguous`: the connection or the worker was lost, so it is unknown whether a mail server accepted the email. `email.recovered`: a worker stopped, and another one found out that the email was sent.',
        '`email.opened` and `email.clicked` occur only if the sending domain [records them](#tracking). `data` then has `machine`, and for a click the `url`. `email.unsubscribed` occurs once per email, when its link for unsubscribing is first used.',
        '`usage.threshold` occurs once per day or month for each of the two percentages.',
      ],
    },
    {
      paragraph:
        'An event becomes visible when all transactions that began before it have ended, usually within milliseconds.',
    },
  ],
};

export const webhooksSection: Section = {
  id: 'webhooks',
  title: 'Webhooks',
  blocks: [
    {
      paragraph:
        'A webhook is a URL of yours to which Posthorn posts events. Create one with `POST /api/v1/webhooks`, with the types of events that you want. The URL is stored as browsers write it, for example with the host in lower case. `domain_ids` limits it to events of these domains and of emails from them, and `tags` to events of emails with one of these tags. With either, it gets no usage events. A webhook gets what happens after it was created. The response contains the secret, which is shown only once. `POST /api/v1/webhooks/{id}/test` sends a `webhook.test` event. Leave this type out of `events`: a webhook gets it only when you ask for a test.',
    },
    {
      paragraph:
        'If you change `events`, `domain_ids` or `tags`, the new values apply to later events. If events are waiting, for example because your server is failing, they apply to everything since the first of those. Waiting events that match only the old values are not sent, unless they have already been tried.',
    },
    {
      paragraph:
        "Requests follow [Standard Webhooks](https://www.standardwebhooks.com), so its libraries can verify them. The body has the same `type` and `data` as the event, and the event's `created_at` as `timestamp`; `data` also has its `sequence`. `webhook-id` is the id of the event. If the email was traced, the webhook request has a `traceparent` of the same trace. If your request had a `traceparent` header, that is your trace.",
    },
    {
      language: 'json',
      code: `{"type": "email.bounced", "timestamp": "2026-11-20T09:30:00.000Z",
 "data": {"email_id": "0198c5d2-7e3a-7b41-9c06-52f1e8a4d370", "recipient": "jane@example.com",
          "status": "bounced", "reason": "5.1.1 No such user", "mode": "live", "sequence": 3}}`,
    },
    {
      list: [
        `**Answer with a 2xx within ${limits.webhookSeconds.max} seconds.** Any other status counts as a failure, even a redirect, because redirects are not followed. Do not send 100 or 101 first: Posthorn treats both as failures. Put the event into a queue of your own if handling it takes longer.`,
        '**Verify the signature** over the body exactly as you received it, and refuse timestamps that are more than five minutes off.',
        '**The same event can arrive more than once**, always with the same `webhook-id`. Remember the ids that you have handled.',
        '**Events can arrive out of order.** `sequence` orders those of one email.',
      ],
    },
    {
      paragraph:
        'This code receives events and verifies their signatures. It needs no packages, and reads the secret from `POSTHORN_WEBHOOK_SECRET`. During a rotation, a request has several signatures, separated by spaces; one that matches is enough. `/docs#webhooks` has the code for Node.js, Python, PHP, Go and the shell. The shell version checks a single request with openssl.',
    },
    { sample: 'webhookVerification' },
    {
      paragraph: `A failed request is repeated after ${retryPauses}. Each pause varies randomly by up to 10%. Every request has the same id. The body is the same too, unless the recipient was erased in the meantime. After the last request, the delivery has failed. If 10 requests in a row fail, the webhook is paused, and tried with a single request after increasing pauses of 5 seconds to 10 minutes. To end a pause at once, send a test event, replay events, change the URL, or disable the webhook and enable it again. If you answer 429 or 503 with \`Retry-After\`, Posthorn waits that long, up to ${formatWindow(limits.webhookRetryAfterSeconds.max)}.`,
    },
    {
      paragraph: `A 410 disables the webhook at once. It is also disabled when every request has failed for ${limits.webhookFailingDays.max} days. In both cases, the owners of the workspace get an email. If you enable the webhook again, it gets the events since then, as far back as ${limits.webhookEventDays.max} days. The same is true if you disable it yourself. If you change \`events\`, \`domain_ids\` or \`tags\` in the meantime, the new values apply to these events.`,
    },
    {
      paragraph: `\`GET /api/v1/webhooks/{id}/deliveries\` lists what was sent, with the body, and how your server answered. An event is in the list when its first request has ended. \`POST /api/v1/webhooks/{id}/replay\` sends events again: one from this list (\`event_id\`), those of a period (\`from\` and \`to\`), or all that failed or wait to be tried again (\`failed\`). A period can begin before the webhook existed. Events older than ${limits.webhookEventDays.max} days cannot be replayed; \`GET /api/v1/events\` still lists them. One request replays at most ${formatCount(limits.replayedEvents.max)} events. A period that has more is refused; with \`failed\`, repeat the request.`,
    },
    {
      paragraph:
        'To replace the secret, use `POST /api/v1/webhooks/{id}/rotate-secret`. For `overlap_seconds`, by default a day, requests have two signatures, one with the new secret and one with the old. For a few seconds after the rotation, requests can still have only the old one, even if `overlap_seconds` is 0. So accept both secrets until the overlap is over, and for at least a minute.',
    },
    {
      paragraph:
        'The dashboard does all of this too. The page of a webhook has its settings, this code, and a log that shows each request, how your server answered and when the next request is due.',
    },
    {
      paragraph:
        'A webhook that is created with a test key gets the events of test mail. In a session, set `mode` to `test`.',
    },
  ],
};
