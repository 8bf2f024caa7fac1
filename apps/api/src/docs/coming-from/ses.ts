import type { Article, Section } from '../section.js';
import { sendRequest } from './send-request.js';
import { table } from './table.js';

/** @param baseUrl without a trailing slash */
export function comingFromSes(baseUrl: string): Article {
  return {
    name: 'coming-from-ses',
    title: 'Coming from Amazon SES',
    intro: "This page maps version 2 of the SES API to Posthorn's, field by field.",
    sections: [requests(baseUrl), fields, calls, events, behaviour],
  };
}

function requests(baseUrl: string): Section {
  return {
    id: 'before-and-after',
    title: 'One request, before and after',
    blocks: [
      { paragraph: 'SES, with the AWS command line, which signs the request:' },
      {
        language: 'sh',
        code: [
          "aws sesv2 send-email --cli-input-json '{",
          '    "FromEmailAddress": "Acme <hello@acme.example>",',
          '    "Destination": {"ToAddresses": ["jane@example.com"]},',
          '    "ReplyToAddresses": ["support@acme.example"],',
          '    "Content": {',
          '      "Simple": {',
          '        "Subject": {"Data": "Welcome"},',
          '        "Body": {"Html": {"Data": "<p>Hello Jane</p>"}, "Text": {"Data": "Hello Jane"}},',
          '        "Headers": [{"Name": "X-Order-Id", "Value": "4711"}]',
          '      }',
          '    },',
          '    "EmailTags": [{"Name": "category", "Value": "welcome"}],',
          '    "ConfigurationSetName": "transactional"',
          "  }'",
        ].join('\n'),
      },
      { paragraph: 'Posthorn:' },
      {
        request: sendRequest(baseUrl, 'welcome-4711', {
          from_: 'Acme <hello@acme.example>',
          to: ['jane@example.com'],
          reply_to: ['support@acme.example'],
          subject: 'Welcome',
          html: '<p>Hello Jane</p>',
          text: 'Hello Jane',
          headers: { 'X-Order-Id': '4711' },
          tags: [{ name: 'category', value: 'welcome' }],
        }),
      },
      {
        paragraph:
          'There is no SDK, and requests are not signed: the key in the header is enough. A running service has code samples for every call at `/docs`, for curl, Node.js, Python, PHP and Go.',
      },
    ],
  };
}

const fields: Section = {
  id: 'fields',
  title: 'Fields of a request',
  blocks: [
    table(
      ['SES', 'Posthorn', 'What differs'],
      [
        'Signature Version 4, IAM | `Authorization` | `Bearer` and an API key, whose scopes replace IAM policies.',
        "`FromEmailAddress` | `from_` | At a verified domain. You cannot verify an individual address. Without `from_`, the email comes from the workspace's platform address.",
        '`FromEmailAddressIdentityArn` | `domain_id` | Optional; must match `from_`.',
        '`Destination.ToAddresses` | `to` | Required. At most 50 addresses in `to`, `cc` and `bcc` together, as with SES.',
        '`Destination.CcAddresses` | `cc` | ',
        '`Destination.BccAddresses` | `bcc` | ',
        '`ReplyToAddresses` | `reply_to` | At most 10 addresses.',
        '`Content.Simple.Subject.Data` | `subject` | At most 998 characters.',
        '`Content.Simple.Body.Html.Data` | `html` | Always UTF-8; there is no `Charset`.',
        '`Content.Simple.Body.Text.Data` | `text` | ',
        '`Content.Simple.Headers` | `headers` | An object instead of a list of `Name` and `Value`. Some names are [refused](#headers).',
        '`Content.Simple.Attachments[].FileName` | `attachments[].filename` | At most 10 files. Programs such as `.exe` files are refused.',
        '`Content.Simple.Attachments[].RawContent` | `attachments[].content` | base64. The whole message can be up to 10 MB, instead of 40 MB.',
        '`Content.Simple.Attachments[].ContentType` | `attachments[].content_type` | Optional.',
        '`Content.Simple.Attachments[].ContentId` | `attachments[].content_id` | Shows the file inside `html`, so there is no `ContentDisposition`.',
        '`Content.Raw.Data` | none | Posthorn builds the message from the fields.',
        '`Content.Template.TemplateName` | `template_id` | The id of the template.',
        '`Content.Template.TemplateData` | `template_vars` | An object instead of a JSON string; its values are strings, numbers and booleans.',
        '`EmailTags` | `tags` | `Name` and `Value` are `name` and `value`. Lists can be filtered by tag.',
        '`ConfigurationSetName` | none | Not needed: Posthorn keeps all events and attempts, and you can read them.',
        '`FeedbackForwardingEmailAddress` | none | Bounces always go to the service itself.',
        '`ListManagementOptions` | `unsubscribe`, `unsubscribe.topic` | `{"topic": "newsletter"}`. A topic is a name of your choice, and there are no contact lists ([unsubscribe links](#unsubscribe)).',
        'none | `scheduled_at` | Send later, at most 30 days ahead.',
        'none | `priority` | `high`, `normal` or `bulk`.',
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
      ['SES', 'Posthorn', 'What differs'],
      [
        '`SendEmail` | `POST /api/v1/emails` | Returns 202. `MessageId` is `id`.',
        '`SendBulkEmail` | `POST /api/v1/emails/batch` | An array of at most 100 complete requests; all are accepted, or none. SES accepts up to 50 destinations and returns a result for each one.',
        '`CreateEmailTemplate` | `POST /api/v1/templates` | `Subject`, `Html` and `Text` are `subject`, `html_body` and `text_body`. All are required, and so is `name`, but `text_from_html` can generate the text.',
        '`TestRenderEmailTemplate` | `POST /api/v1/templates/{id}/preview` | ',
        '`CreateEmailIdentity` | `POST /api/v1/domains` | Returns every DNS record to publish.',
        '`GetAccount` | `GET /billing/usage` | Needs a session. Caps count UTC days and months, not the last 24 hours.',
        'none | `GET /api/v1/emails` | Lists and searches your emails, with their states.',
        'none | `GET /api/v1/emails/{id}` | Shows each recipient, and the SMTP conversation of each attempt.',
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
        'Instead of event destinations and SNS, Posthorn posts events to your [webhooks](#webhooks). You can also read the [list of events](#events) with `GET /api/v1/events`.',
    },
    table(
      ['SES', 'Posthorn', 'What differs'],
      [
        '`SEND` | `email.accepted` | The first event of every email.',
        'none | `email.sent` | The next mail server has accepted the email.',
        '`DELIVERY` | `email.delivered` | If a server reports the delivery, which most do not. See `email.sent`.',
        '`DELIVERY_DELAY` | `email.deferred` | ',
        '`BOUNCE` with type `Permanent` | `email.bounced` | One event for each recipient. `data.reason` has the reply of the mail server.',
        '`COMPLAINT` | `email.complained` | If the mailbox provider reports it.',
        '`REJECT` | none | Posthorn does not look for viruses.',
        '`RENDERING_FAILURE` | none | The request gets a 422.',
        'none | `email.failed`, `email.expired`, `email.canceled` | ',
        '`SUBSCRIPTION` | `email.unsubscribed` | ',
        '`OPEN`, `CLICK` | `email.opened`, `email.clicked` | Only if the sending domain [records them](#tracking).',
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
        'Missing template variables. SES accepts the email, does not send it and reports a rendering failure. Posthorn refuses the request with a 422 that names every missing variable that has no default. Both ignore extra variables.',
        "Templates. `{{name}}` works the same way. It is HTML-escaped in `html_body` only. Handlebars' blocks (`{{#if}}`, `{{#each}}`) are refused when you save the template.",
        'Testing. Instead of `simulator.amazonses.com`, use our simulator addresses, or a key in [test mode](#test-mode).',
        'No sandbox. A new workspace can send to anyone within the caps of its plan. If it was created by sign-up, its owner must first confirm their email address.',
        'Rate limit. 60 emails per minute for each key, unless your operator sets another limit. A 429 has `Retry-After`.',
        'Errors are RFC 9457 problem details: `code` is a stable name, `detail` a sentence, and `errors` lists every invalid field. [All codes](#errors).',
        'Not supported yet: SMTP submission.',
      ],
    },
  ],
};
