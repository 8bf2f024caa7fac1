import type { Section } from './section.js';

export const sendingSection: Section = {
  id: 'sending',
  title: 'Sending email',
  blocks: [
    {
      paragraph:
        'An email is either raw or made from a template. A raw email has a `subject` and `html`, `text` or both. An email from a template has a `template_id` and `template_vars`. You cannot combine the two. `to` is required; `cc`, `bcc`, `reply_to`, `headers`, `attachments`, `tags`, `scheduled_at`, `priority` and `expires_at` are optional.',
    },
    {
      paragraph:
        'Write an address as `jane@example.com` or `Jane Doe <jane@example.com>`. Duplicate recipients are removed before they are counted. Some header names are refused in `headers`; see [custom headers](#headers).',
    },
    {
      paragraph:
        'Set the sender with `from_`, an address at a verified domain of your workspace. Without `from_`, or while no domain is verified, the email comes from the platform address of the workspace, which `GET /api/v1/workspace` returns as `platform_sender`. `from_` in the response is the address that is used. Once a domain is verified, a `from_` at any other domain is refused with [sender_not_verified](#sender_not_verified). A subdomain counts as a different domain. You can also name the domain with `domain_id`; it must match `from_`.',
    },
    {
      paragraph:
        'If the workspace was created by sign-up, its owner has to [confirm their email address](#members) first. Until then, you can send to that address only.',
    },
    {
      paragraph:
        'To send later, set `scheduled_at` to a time with an offset, such as `2026-12-01T09:30:00+01:00`. You can reschedule (`PATCH`) or cancel an email while it is scheduled, queued or deferred. If the result of an attempt is unknown, a mail server may already have the email, so rescheduling and canceling get a `409`. A `200` response to a cancellation guarantees that the email will never be sent. An email can be rescheduled 100 times; after that, `PATCH` returns [conflict](#conflict).',
    },
    {
      paragraph:
        'Set `priority` to `high` for a code that someone is waiting for, and to `bulk` for a newsletter. The default is `normal`. The due emails of your workspace are sent in order of priority (`high`, then `normal`, then `bulk`), so a newsletter does not delay a code. An email that could not be handed to a mail server by its `expires_at` ends as `expired` and is never sent. `expires_at` can be at most 72 hours after `scheduled_at`, or after the request if it has no `scheduled_at`.',
    },
    {
      paragraph:
        '`POST /api/v1/emails/batch` takes an array of 1 to 100 of these requests. It accepts all of them or none, and returns them in the same order as `{"object": "list", "data": [...]}`. Each `field` in `errors` begins with the index of the email: `[2].to[0]` is the first recipient of the third one. One `Idempotency-Key` covers the whole batch.',
    },
    {
      paragraph: 'The `202` response has `warnings`, a list of `{"code", "message"}` that is usually empty:',
    },
    {
      list: [
        '`sender_replaced`: `from_` was ignored, because the workspace has no verified domain.',
        '`duplicate_recipients_removed`: some addresses occurred more than once.',
        '`suppressed_recipients`: some recipients are [suppressed](#suppressions) and will not get the email.',
        '`expires_soon`: `expires_at` is less than 60 seconds after the email is due.',
      ],
    },
    {
      paragraph:
        '`POST /api/v1/emails/check` takes the same request as a send and returns what would happen, without storing, sending or counting anything. The response has the sender and the reason for it, the rendered `subject`, `html` and `text`, `missing_variables`, the number of `sends`, how many sends the caps leave (`remaining`), an upper bound for the size of the message, and whether DKIM, SPF and DMARC would pass according to the last check of the domain, and which recipients are suppressed, with the reason. `would_send` is false if a variable is missing, a cap would be exceeded or every recipient is suppressed. An invalid request gets the same error as a send.',
    },
  ],
};
