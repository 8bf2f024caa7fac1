import type { Article, Section } from '../section.js';
import { sendRequest } from './send-request.js';
import { table } from './table.js';

/** @param baseUrl without a trailing slash */
export function comingFromPostmark(baseUrl: string): Article {
  return {
    name: 'coming-from-postmark',
    title: 'Coming from Postmark',
    intro: "This page maps Postmark's API to Posthorn's, field by field.",
    sections: [requests(baseUrl), fields, calls, events, behaviour],
  };
}

function requests(baseUrl: string): Section {
  return {
    id: 'before-and-after',
    title: 'One request, before and after',
    blocks: [
      { paragraph: 'Postmark:' },
      {
        language: 'sh',
        code: [
          'curl https://api.postmarkapp.com/email \\',
          '  -H "X-Postmark-Server-Token: $POSTMARK_TOKEN" \\',
          "  -H 'Content-Type: application/json' \\",
          "  -H 'Accept: application/json' \\",
          "  -d '{",
          '    "From": "Acme <hello@acme.example>",',
          '    "To": "jane@example.com, joe@example.com",',
          '    "Subject": "Your invoice",',
          '    "HtmlBody": "<p>See the attached file.</p>",',
          '    "TextBody": "See the attached file.",',
          '    "ReplyTo": "support@acme.example",',
          '    "Tag": "invoice",',
          '    "Metadata": {"order": "4711"},',
          '    "Headers": [{"Name": "X-Order-Id", "Value": "4711"}],',
          '    "Attachments": [{"Name": "invoice.pdf", "Content": "JVBERi0xLjcK", "ContentType": "application/pdf"}],',
          '    "MessageStream": "outbound"',
          "  }'",
        ].join('\n'),
      },
      { paragraph: 'Posthorn:' },
      {
        request: sendRequest(baseUrl, 'invoice-4711', {
          from_: 'Acme <hello@acme.example>',
          to: ['jane@example.com', 'joe@example.com'],
          subject: 'Your invoice',
          html: '<p>See the attached file.</p>',
          text: 'See the attached file.',
          reply_to: ['support@acme.example'],
          tags: [
            { name: 'tag', value: 'invoice' },
            { name: 'order', value: '4711' },
          ],
          headers: { 'X-Order-Id': '4711' },
          attachments: [{ filename: 'invoice.pdf', content: 'JVBERi0xLjcK', content_type: 'application/pdf' }],
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
      ['Postmark', 'Posthorn', 'What differs'],
      [
        '`X-Postmark-Server-Token` | `Authorization` | `Bearer` and an API key. A key has scopes and belongs to a workspace.',
        "`From` | `from_` | At a verified domain. You cannot verify an individual address (there are no sender signatures). Without `from_`, the email comes from the workspace's platform address.",
        '`To`, `Cc`, `Bcc` | `to`, `cc`, `bcc` | Arrays of addresses instead of one comma-separated string. At most 50 addresses across all three, and each one counts as a send.',
        '`ReplyTo` | `reply_to` | An array.',
        '`Subject` | `subject` | At most 998 characters.',
        '`HtmlBody` | `html` | ',
        '`TextBody` | `text` | ',
        '`Tag`, `Metadata` | `tags` | A list of names and values that contain only letters, digits, `_` and `-`. Lists can be filtered by tag.',
        '`Headers` | `headers` | An object instead of a list of `Name` and `Value`. Some names are [refused](#headers).',
        '`Attachments[].Name` | `attachments[].filename` | At most 10 files. Programs such as `.exe` files are refused.',
        '`Attachments[].Content` | `attachments[].content` | base64. The whole message can be up to 10 MB, as with Postmark.',
        '`Attachments[].ContentType` | `attachments[].content_type` | Optional.',
        '`Attachments[].ContentID` | `attachments[].content_id` | Without `cid:`, which belongs only in the HTML.',
        '`MessageStream` | `priority` | There are no streams. With `bulk`, newsletters wait until all other email in the workspace has been sent.',
        'broadcast streams | `unsubscribe`, `unsubscribe.topic` | `{"topic": "newsletter"}` adds the link and the headers for unsubscribing ([unsubscribe links](#unsubscribe)).',
        '`TrackOpens`, `TrackLinks` | none | A setting of the sending domain ([opens and clicks](#tracking)).',
        '`TemplateId`, `TemplateAlias` | `template_id` | Templates are also sent with `POST /api/v1/emails`. There are no aliases.',
        '`TemplateModel` | `template_vars` | Only strings, numbers and booleans. For `{{user.name}}`, the variable is called `user.name`. A missing variable without a default gets a 422.',
        '`InlineCss` | none | Inline the styles before you save the template.',
        'none | `scheduled_at` | Send later, at most 30 days ahead.',
        'none | `expires_at` | The email is not sent after this time.',
        'none | `Idempotency-Key` | A header. Repeating a request with the same key does not send the email again.',
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
      ['Postmark', 'Posthorn', 'What differs'],
      [
        '`POST /email` | `POST /api/v1/emails` | Returns 202. `MessageID` is `id`, `SubmittedAt` is `created_at`.',
        '`POST /email/withTemplate` | `POST /api/v1/emails` | With `template_id` and `template_vars`.',
        '`POST /email/batch` | `POST /api/v1/emails/batch` | At most 100 emails instead of 500, and all or none: if one email is invalid, none is accepted, and `errors` names it by its index.',
        '`GET /messages/outbound` | `GET /api/v1/emails` | Paginated with a cursor instead of `count` and `offset`. Filters for recipient, sender, tag, status and time, and a search.',
        '`GET /messages/outbound/{id}/details` | `GET /api/v1/emails/{id}` | Also shows the SMTP conversation of each attempt.',
        '`GET /messages/outbound/{id}/dump` | `GET /api/v1/emails/{id}/message` | With a test key for test mail, or with a session. Live keys cannot read whole messages.',
        '`POST /templates` | `POST /api/v1/templates` | `Name`, `Subject`, `HtmlBody` and `TextBody` are `name`, `subject`, `html_body` and `text_body`. All are required, but `text_from_html` can generate the text. There are no layouts.',
        '`POST /templates/validate` | `POST /api/v1/templates/preview` | ',
        '`POST /domains` | `POST /api/v1/domains` | Returns every DNS record to publish.',
        'none | `POST /api/v1/emails/check` | Shows what would happen to an email, without sending it.',
        'none | `POST /api/v1/emails/{id}/cancel` | Cancels an email that has not been sent yet.',
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
      ['Postmark', 'Posthorn', 'What differs'],
      [
        'none | `email.accepted`, `email.scheduled`, `email.sent` | `email.sent`: the next mail server has accepted the email.',
        '`Delivery` | `email.delivered` | If a server reports the delivery, which most do not. See `email.sent`.',
        '`Bounce` with type `HardBounce` | `email.bounced` | `data.reason` has the reply of the mail server.',
        '`Bounce` with type `Transient` or `SoftBounce` | `email.deferred` | Posthorn tries again.',
        'none | `email.failed`, `email.expired`, `email.canceled` | ',
        '`SpamComplaint` | `email.complained` | If the mailbox provider reports it.',
        '`SubscriptionChange` | `email.unsubscribed` | ',
        '`Open`, `Click` | `email.opened`, `email.clicked` | Only if the sending domain [records them](#tracking).',
        '`MessageID`, `Recipient` | `data.email_id`, `data.recipient` | ',
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
        'Errors. Read the HTTP status, not `ErrorCode`. Errors are RFC 9457 problem details: `code` is a stable name, `detail` a sentence, and `errors` lists every invalid field. [All codes](#errors).',
        "Templates. `{{name}}` works the same way. It is HTML-escaped in `html_body` only. Mustachio's sections (`{{#each}}`, `{{#name}}`) are refused when you save the template.",
        'Testing. Instead of the token `POSTMARK_API_TEST`, use a key for [test mode](#test-mode), or send to the simulator addresses to see bounces.',
        'States. `sent` means that the next mail server has accepted the email. `bounced` means that a server refused the email permanently, during delivery or later with a bounce.',
        'Webhooks are signed as in Standard Webhooks, so you can [verify](#webhooks) each request.',
        'Not supported yet: inbound email, SMTP submission.',
      ],
    },
  ],
};
