import type { Section } from './section.js';
import { stats } from './stats-section.js';
import { templates } from './templates-section.js';

/** What an integrator reads before the tables. @param baseUrl without a trailing slash */
export function guide(baseUrl: string): Section[] {
  return [
    start(baseUrl),
    authentication,
    members,
    sending,
    domains,
    templates,
    idempotency,
    retries,
    counting,
    rateLimit,
    stats,
    lists,
  ];
}

function start(baseUrl: string): Section {
  return {
    id: 'start',
    title: 'A first email',
    blocks: [
      {
        code: `curl ${baseUrl}/api/v1/emails \\
  -H "Authorization: Bearer $API_KEY" \\
  -H "Content-Type: application/json" \\
  -H "Idempotency-Key: welcome-4711" \\
  -d '{"to": ["jane@example.com"], "subject": "Welcome", "text": "Hello Jane"}'`,
      },
      {
        paragraph:
          'A `202` means that the email is stored durably. It will be delivered, or end in a [state](#states) that says why. Requests and answers are JSON in UTF-8, times are RFC 3339 in UTC, ids are UUIDs. Every answer has an `X-Request-Id`; quote it when you ask about a request. A field that is not known is refused, never ignored.',
      },
    ],
  };
}

const authentication: Section = {
  id: 'authentication',
  title: 'Authentication',
  blocks: [
    {
      paragraph:
        'Send `Authorization: Bearer <API key>`. Keys are made by a logged-in owner with `POST /api/v1/api-keys`, or by the operator with `posthorn key create`; they are shown once and may be given an end. A revoked key stops working within a second. Whoever logs in at `/auth/login` has a session cookie instead; if `Authorization` is present, the cookie is not looked at.',
    },
    {
      list: [
        '`emails:send` sends, reschedules and cancels emails.',
        '`templates:write` creates, changes and deletes templates.',
        '`domains:write` adds, verifies, rotates, deletes and lists domains; of sessions, only those of owners may change them.',
        '`emails:read` shows the bodies and variables of emails; without it a key sees everything else about them.',
        'Every valid key may list emails and templates of its workspace. An id of another workspace answers like an unknown one: `404`.',
      ],
    },
  ],
};

const members: Section = {
  id: 'members',
  title: 'Workspace and members',
  blocks: [
    {
      paragraph:
        'Everything belongs to a workspace. `GET /api/v1/workspace` shows it, also to a key. Its members are owners, who alone manage members, keys and domains and rename it, and members, who do everything else. `POST /api/v1/members` with `email` and `role` (`owner` or `member`) invites somebody by mail, with or without an account, also where sign-up is closed.',
    },
    {
      list: [
        'The list shows invitations beside members: `status` is `active`, `invited`, or `expired` once the link works no more. `PATCH` changes the role of either, `DELETE` removes either; `POST /api/v1/members/{id}/resend` mails an invitation again, with a new link.',
        'The link has a token that works once. `POST /auth/invitation` with the `token` tells whereto it invites and whether the address has an account; `POST /auth/accept-invitation` with `token` and `password` joins and logs in. The password is that of the account, or of the one to be made. The id of an invitation is not that of the member it becomes.',
        'A change of role holds at once, and who is removed loses the sessions in that workspace at once. Keys belong to the workspace and stay. Anybody may leave by removing himself; the last owner may not: [conflict](#conflict).',
        'A user may belong to several workspaces. A session acts for one of them, after a log-in for the one that was joined first: `GET /auth/workspaces` lists them with the role in each, `POST /auth/switch` with a `workspace_id` changes to another.',
        '`POST /auth/password` changes the password and ends all other sessions; `GET /auth/sessions` lists them, `DELETE /auth/sessions` ends all.',
      ],
    },
  ],
};

const sending: Section = {
  id: 'sending',
  title: 'Sending',
  blocks: [
    {
      paragraph:
        'An email is either raw (`subject` with `html`, `text` or both) or made from a template (`template_id` with `template_vars`); fields of the two must not be mixed. `to` is required; `cc`, `bcc`, `reply_to`, `headers`, `tags` and `scheduled_at` may be added. An address reads `jane@example.com` or `Jane Doe <jane@example.com>`. Duplicate recipients are removed before they are counted. The names in `headers` are printable ASCII without spaces, colons and semicolons.',
    },
    {
      paragraph:
        'The sender is `from_` at a verified domain of the workspace. Without `from_`, or as long as no domain is verified, the email comes from the platform address of the workspace, which `GET /api/v1/workspace` shows as `platform_sender`; `from_` in the answer is the address really used. Once a domain is verified, `from_` at any other domain, a subdomain too, is refused with [sender_not_verified](#sender_not_verified). `domain_id` may name the domain as well; it must match `from_`.',
    },
    {
      paragraph:
        '`scheduled_at` is a time with an offset, such as `2026-12-01T09:30:00+01:00`. Until it is being sent, an email can be rescheduled (`PATCH`) or canceled; a `200` to cancel guarantees that it will never be sent.',
    },
  ],
};

const domains: Section = {
  id: 'domains',
  title: 'Domains',
  blocks: [
    {
      paragraph:
        '`POST /api/v1/domains` with a `name` answers with the DNS `records` that the domain needs: paste each `value` under its `name`; where a panel or zone file wants strings of at most 255 characters, `value_split` has them. `POST /api/v1/domains/{id}/verify` asks DNS at once; workers ask by themselves too, every few minutes at first. The domain is verified when every record with `required` is there. Each record has a `status` (`pending`, `verified`, `missing`, `wrong`), what was `found` instead, and a `message` that says what to do. Where DNS cannot be asked the status stays as it was, and `message` says so.',
    },
    {
      list: [
        'Several workspaces may add the same name; the first that proves it has it, and the others get a `409` [conflict](#conflict).',
        'A verified domain is `withdrawn` after two failed checks that lie at least a day apart. It can no longer be sent from until its records are back.',
        '`POST /api/v1/domains/{id}/rotate-key` makes a second DKIM key. The first signs until the record of the second is seen in DNS; leave the old record there for 7 days more.',
        'Mail that waits while its domain is withdrawn or deleted fails, and an event says why.',
      ],
    },
  ],
};

const idempotency: Section = {
  id: 'idempotency',
  title: 'Idempotency',
  blocks: [
    {
      paragraph:
        'Give every send an `Idempotency-Key` of your own, so that a repeated request cannot send twice: any 1 to 256 printable ASCII characters, such as a UUID or the id of your order. It belongs to the workspace and is remembered for 24 hours.',
    },
    {
      list: [
        'The same key with the same request gives the first answer again, byte for byte, with `Idempotent-Replayed: true`. Nothing is sent or counted.',
        'The same key with another request is refused: [idempotency_key_reused](#idempotency_key_reused).',
        'While the first request is still being worked on, the second waits for its answer; if that takes too long, it gets [idempotency_in_progress](#idempotency_in_progress).',
        'Only a success is remembered. After an error the key is free again.',
      ],
    },
  ],
};

const retries: Section = {
  id: 'retries',
  title: 'Errors and retries',
  blocks: [
    {
      paragraph:
        'Every error is `application/problem+json` (RFC 9457): `detail` is one sentence for people, `code` is stable and for programs, `type` points to the row of the [table of errors](#errors), and a `422` lists the faulty fields in `errors`, 20 of them at most.',
    },
    {
      list: [
        'Repeat after no answer at all, `409 idempotency_in_progress`, `429 rate_limited`, `500` and `503`, always with the same `Idempotency-Key` and body.',
        'Wait as many seconds as `Retry-After` says, otherwise 1, 2, 4, 8 seconds and so on up to a minute, each with some chance added or taken away so that clients do not return all at once.',
        'Do not repeat other errors: they stay until the request, the plan or the day is another. A `429` without `Retry-After` is the daily cap: wait until `resets_at` or upgrade.',
      ],
    },
  ],
};

const counting: Section = {
  id: 'counting',
  title: 'What is counted',
  blocks: [
    {
      paragraph:
        'Every recipient in `to`, `cc` and `bcc` of an accepted email counts as one send, against the caps of the UTC day and the UTC month in which it was accepted. An email is accepted whole or refused whole. Refused requests, replays and our own attempts at delivery count nothing, and canceling gives the sends back. `GET /billing/usage` shows where the workspace stands.',
    },
  ],
};

const rateLimit: Section = {
  id: 'rate-limit',
  title: 'Rate limit',
  blocks: [
    {
      paragraph:
        'Each API key or session may ask for 60 emails per minute unless the operator says otherwise. A request counts as one email, however many recipients it has. Every answer to a send, once the key and its scope are known, has `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` (seconds); beyond the limit the answer is [rate_limited](#rate_limited) with `Retry-After`.',
    },
  ],
};

const lists: Section = {
  id: 'lists',
  title: 'Lists',
  blocks: [
    {
      paragraph:
        'Lists are newest first: `{"object": "list", "data": [...], "has_more": true, "next_cursor": "..."}`. Ask for the next page with `after` set to `next_cursor`, until that is null; `before`, with the id of the first entry you have, goes to newer ones, and then `next_cursor` is for `before`; `limit` sets the size of a page. A page of large templates may end earlier.',
    },
  ],
};
