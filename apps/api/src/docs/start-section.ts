import { writeJson } from '@posthorn/code-samples';
import { examples } from './examples.js';
import type { Section } from './section.js';

export function startSection(baseUrl: string): Section {
  return {
    id: 'start',
    title: 'Send your first email',
    blocks: [
      {
        paragraph:
          'You need an API key with the `emails:send` scope. An owner of your workspace can create one in the dashboard, under API > Keys. Put the key in the environment variable `POSTHORN_API_KEY`, then send an email:',
      },
      {
        request: {
          method: 'POST',
          url: `${baseUrl}/api/v1/emails`,
          credential: 'key',
          headers: { 'Idempotency-Key': 'welcome-4711' },
          body: { to: ['jane@example.com'], subject: 'Welcome', text: 'Hello Jane' },
          response: 'json',
        },
      },
      { paragraph: 'The response is a `202` with the new email:' },
      {
        language: 'json',
        code: writeJson(examples.sendEmail.response),
      },
      {
        paragraph:
          'A `202` means that the email is stored durably. It will either be delivered or end in a [status](#states) that says why it was not.',
      },
      {
        list: [
          'To follow the email, call `GET /api/v1/emails/{id}`. It returns the status of every recipient, the events and the SMTP conversations.',
          "To send from your own address, [verify a domain](#domains). Until then, email comes from your workspace's platform address.",
          'Coming from another service? These pages map its fields to ours: [Resend](coming-from-resend.md), [Postmark](coming-from-postmark.md), [Amazon SES](coming-from-ses.md).',
          'To retry safely, send the same `Idempotency-Key` again. The email is [sent only once](#idempotency).',
        ],
      },
      {
        paragraph:
          'Requests and responses are JSON in UTF-8. Times are RFC 3339 in UTC, and IDs are UUIDs. Every response has an `X-Request-Id` header; quote it when you ask about a request. A request with an unknown field is refused: no field is silently ignored. If no field is required, you can leave out the body.',
      },
    ],
  };
}
