import type { Article, Section } from '../section.js';
import { sendRequest } from './send-request.js';
import { table } from './table.js';

/** @param baseUrl without a trailing slash */
export function comingFromResend(baseUrl: string): Article {
  return {
    name: 'coming-from-resend',
    title: 'Coming from Resend',
    intro:
      "This page maps Resend's API to Posthorn's, field by field. The two APIs are similar: in most requests, you only change the URL and the key, and rename `from` to `from_`.",
    sections: [requests(baseUrl), fields, calls, events, behaviour],
  };
}

function requests(baseUrl: string): Section {
  return {
    id: 'before-and-after',
    title: 'One request, before and after',
    blocks: [
      { paragraph: 'Resend:' },
      {
        language: 'sh',
        code: [
          'curl https://api.resend.com/emails \\',
          '  -H "Authorization: Bearer $RESEND_API_KEY" \\',
          "  -H 'Content-Type: application/json' \\",
          "  -H 'Idempotency-Key: welcome-4711' \\",
          "  -d '{",
          '    "from": "Acme <hello@acme.example>",',
          '    "to": "jane@example.com",',
          '    "subject": "Welcome",',
          '    "html": "<p>Hello Jane</p>",',
          '    "reply_to": "support@acme.example",',
          '    "tags": [{"name": "category", "value": "welcome"}]',
          "  }'",
        ].join('\n'),
      },
      { paragraph: 'Posthorn:' },
      {
        request: sendRequest(baseUrl, 'welcome-4711', {
          from_: 'Acme <hello@acme.example>',
          to: ['jane@example.com'],
          subject: 'Welcome',
          html: '<p>Hello Jane</p>',
          text: 'Hello Jane',
          reply_to: ['support@acme.example'],
          tags: [{ name: 'category', value: 'welcome' }],
        }),
      },
      {
        paragraph:
          'There is no SDK. A running service has code samples for every call at `/docs`, for curl, Node.js, Python, PHP and Go.',
      },
    ],
  };
}

const fields: Section = {
  id: 'fields',
  title: 'Fields of a request',
  blocks: [
    table(
      ['Resend', 'Posthorn', 'What differs'],
      [
        "`from` | `from_` | Optional. Without it, or while your workspace has no verified domain, the email comes from the workspace's platform address, and the response has a warning if your `from_` was replaced.",
        '`to`, `cc`, `bcc` | `to`, `cc`, `bcc` | Always arrays; a string gets a 422. At most 50 addresses across all three, and each one counts as a send.',
        '`reply_to` | `reply_to` | Always an array.',
        '`subject` | `subject` | At most 998 characters.',
        '`html` | `html` | ',
        '`text` | `text` | Not generated from `html`. Without it, the email has no plain text part.',
        '`react` | none | Render the component to HTML before you send it.',
        '`template.id` | `template_id` | The id; there are no aliases.',
        '`template.variables` | `template_vars` | Strings, numbers and booleans. If variables without a default are missing, the request gets a 422 that names all of them. The subject comes from the template and cannot be overridden.',
        '`headers` | `headers` | Some names are [refused](#headers), such as those that other fields set.',
        '`attachments[].filename` | `attachments[].filename` | Required. Programs such as `.exe` files are refused.',
        '`attachments[].content` | `attachments[].content` | base64. At most 10 files and 10 MB in total, instead of 40 MB.',
        '`attachments[].path` | none | Posthorn does not download files. Send the content.',
        '`attachments[].content_type` | `attachments[].content_type` | If missing, derived from the file name.',
        '`attachments[].content_id` | `attachments[].content_id` | ',
        '`tags` | `tags` | The same shape and limits. Lists can be filtered by tag.',
        '`scheduled_at` | `scheduled_at` | RFC 3339 with a UTC offset, at most 30 days ahead. Natural language such as `in 1 hour` gets a 422.',
        '`topic_id` | `unsubscribe`, `unsubscribe.topic` | `{"topic": "newsletter"}`. A topic is a name of your choice and need not be created first ([unsubscribe links](#unsubscribe)).',
        'none | `priority` | `high`, `normal` or `bulk`.',
        'none | `expires_at` | The email is not sent after this time.',
      ],
    ),
    { paragraph: 'A field that Posthorn does not know gets a 422 that names it. Nothing is ignored silently.' },
  ],
};

const calls: Section = {
  id: 'calls',
  title: 'Calls',
  blocks: [
    table(
      ['Resend', 'Posthorn', 'What differs'],
      [
        '`POST /emails` | `POST /api/v1/emails` | Returns 202 instead of 200, with the full email instead of only its `id`.',
        '`POST /emails/batch` | `POST /api/v1/emails/batch` | At most 100 emails, all or none. There is no permissive mode. Attachments are allowed.',
        '`GET /emails/{id}` | `GET /api/v1/emails/{id}` | `last_event` is `status`. Also shows each recipient, and the SMTP conversation of each attempt.',
        '`GET /emails` | `GET /api/v1/emails` | The same `limit`, `after` and `before`; pass `next_cursor` as `after`. Also has filters and a search.',
        '`PATCH /emails/{id}` | `PATCH /api/v1/emails/{id}` | Also works for emails that are waiting to be sent or retried.',
        '`POST /emails/{id}/cancel` | `POST /api/v1/emails/{id}/cancel` | Also works for emails that are waiting to be sent or retried.',
        '`POST /templates` | `POST /api/v1/templates` | `html` is `html_body`, `text` is `text_body`. Both are required, as are `name` and `subject`, but `text_from_html` can generate the text. `fallback_value` is `default`. A template can be used at once; there is no draft to publish.',
        '`POST /domains` | `POST /api/v1/domains` | The `name` of a record is fully qualified. `POST /api/v1/domains/{id}/verify` checks DNS at once and returns the result.',
        '`POST /api-keys` | `POST /api/v1/api-keys` | Needs a session. `permission` is `scopes`, a list.',
        '`GET /usage` | `GET /billing/usage` | Needs a session. The day is a UTC day, not the last 24 hours.',
      ],
    ),
  ],
};

const events: Section = {
  id: 'events',
  title: 'Events',
  blocks: [
    {
      paragraph:
        'Posthorn posts events to your [webhooks](#webhooks). You can also read the [list of events](#events) with `GET /api/v1/events`.',
    },
    table(
      ['Resend', 'Posthorn', 'What differs'],
      [
        '`email.sent` | `email.accepted` | The first event of every email.',
        '`email.scheduled` | `email.scheduled` | Also occurs when the email is rescheduled.',
        'none | `email.sent` | The next mail server has accepted the email.',
        '`email.delivered` | `email.delivered` | If a server reports the delivery, which most do not. See `email.sent`.',
        '`email.delivery_delayed` | `email.deferred` | ',
        '`email.bounced` | `email.bounced` | `data.reason` has the reply of the mail server.',
        '`email.complained` | `email.complained` | If the mailbox provider reports it.',
        '`email.suppressed` | `email.suppressed` | The recipient is on the [suppression list](#suppressions).',
        '`email.failed` | `email.failed` | `data.reason` says why.',
        'none | `email.expired`, `email.canceled` | ',
        '`email.opened`, `email.clicked` | `email.opened`, `email.clicked` | Only if the sending domain [records them](#tracking).',
        '`domain.updated` | `domain.verified`, `domain.withdrawn` | ',
      ],
    ),
  ],
};

const behaviour: Section = {
  id: 'behaviour',
  title: 'Behaviour',
  blocks: [
    {
      list: [
        'Idempotency keys work as with Resend: 1 to 256 characters, remembered for 24 hours, 409 for a different request with the same key. While the first request is in progress, a repeated request waits for its response, and gets a 409 only if that takes too long.',
        'Templates. Resend writes `{{{NAME}}}`, which inserts the value as is. In Posthorn, `{{{NAME}}}` does the same; write `{{NAME}}` to have it HTML-escaped.',
        'Testing. Instead of `delivered@resend.dev` and the like, use a key for [test mode](#test-mode) or send to the simulator addresses.',
        'States. In Posthorn, `sent` means that the next mail server has accepted the email. `delivery_delayed` is `deferred`. `delivered` requires that a server reports the delivery, which most do not.',
        'Errors are RFC 9457 problem details: `name` is `code`, `message` is `detail`, and `errors` lists every invalid field. [All codes](#errors).',
        'Caps. When the daily cap is used up, a send gets a 429 without `Retry-After`. When the monthly cap is used up, it gets a 402.',
        'Webhooks follow Standard Webhooks. Resend uses Svix, so the headers are `webhook-id`, `webhook-timestamp` and `webhook-signature` instead of `svix-id` and so on, and the signature is computed in the same way.',
      ],
    },
  ],
};
