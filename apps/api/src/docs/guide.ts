import { attachmentsSection } from './attachments-section.js';
import { auditLogSection } from './audit-log-section.js';
import { deliverabilitySection } from './deliverability-section.js';
import { eventsSection, webhooksSection } from './events-section.js';
import { findingSection } from './finding-section.js';
import { headersSection } from './headers-section.js';
import { membersSection } from './members-section.js';
import { privacySection } from './privacy-section.js';
import type { Section } from './section.js';
import { sendingSection } from './sending-section.js';
import { startSection } from './start-section.js';
import { statsSection } from './stats-section.js';
import { suppressionsSection } from './suppressions-section.js';
import { templatesSection } from './templates-section.js';
import { testModeSection } from './test-mode-section.js';
import { trackingSection } from './tracking-section.js';
import { unsubscribeSection } from './unsubscribe-section.js';

/** The guide for integrators, without the reference tables. @param baseUrl without a trailing slash */
export function guide(baseUrl: string): Section[] {
  return [
    startSection(baseUrl),
    authentication,
    membersSection,
    auditLogSection,
    privacySection,
    sendingSection,
    attachmentsSection,
    headersSection,
    unsubscribeSection,
    testModeSection,
    following,
    eventsSection,
    webhooksSection,
    suppressionsSection(baseUrl),
    domains,
    trackingSection,
    templatesSection,
    idempotency,
    retries,
    counting,
    rateLimit,
    statsSection,
    deliverabilitySection,
    lists,
    findingSection(baseUrl),
  ];
}

const authentication: Section = {
  id: 'authentication',
  title: 'Authentication',
  blocks: [
    {
      paragraph:
        'Send your API key with every request: `Authorization: Bearer <API key>`. Owners create keys in the dashboard or with `POST /api/v1/api-keys`. The operator of the server can also create them with `posthorn key create`. A key is shown only once, and it can have an expiry date. A revoked key stops working within a second.',
    },
    {
      paragraph:
        'You can restrict a key when you create it. With `domain_ids`, it can send only from these sending domains, so every email needs a `from_` at one of them; other emails get [domain_not_allowed](#domain_not_allowed). It can still read emails from other domains if its scopes allow that. With `networks`, it works only from these IP addresses or networks; other requests get [network_not_allowed](#network_not_allowed).',
    },
    {
      paragraph:
        'The dashboard uses a session cookie instead, which `/auth/login` sets. If a request has an `Authorization` header, the cookie is ignored.',
    },
    { paragraph: 'The scopes of a key decide what it can do:' },
    {
      list: [
        '`emails:send`: send, reschedule and cancel emails, and read them without their content; add, import and remove [suppressions](#suppressions).',
        '`emails:read`: read suppressions, and emails with their content: the subject, the bodies and the variables. Without this scope, these fields are null, so a leaked send-only key cannot be used to read one-time codes.',
        '`templates:write`: create, update and delete templates.',
        "`domains:write`: add, list, change, verify and delete domains, and rotate their keys. Every session can list domains, but only an owner's session can change them.",
        '`webhooks:write`: create, list, change, test and delete webhooks, rotate their secrets, read what was sent to them, and replay it. Every session can do this too.',
      ],
    },
    {
      paragraph:
        'Every valid key can list the templates of its workspace. The table of [scopes](#scopes) lists the endpoints and fields of each scope. An id that belongs to another workspace gets the same `404` as an id that does not exist.',
    },
  ],
};

const domains: Section = {
  id: 'domains',
  title: 'Sending domains',
  blocks: [
    {
      paragraph:
        '`POST /api/v1/domains` with a `name` returns the DNS `records` that the domain needs. Add each one to your DNS: its `value` under its `name`. If your DNS provider or zone file needs strings of at most 255 characters, use `value_split`. Then call `POST /api/v1/domains/{id}/verify` to check DNS at once. Workers also check automatically, every few minutes at first.',
    },
    {
      paragraph:
        'The domain counts as verified as soon as every `required` record is in DNS. Each record has a `status` (`pending`, `verified`, `missing` or `wrong`), the values that were `found`, and a `message` that says what to do. If a DNS lookup fails, the status does not change and `message` says so.',
    },
    {
      list: [
        'Several workspaces can add the same name. The first workspace to verify the name gets it; the others get `409` [conflict](#conflict).',
        'A verified domain becomes `withdrawn` after two failed checks at least a day apart. You cannot send from it until its records are back.',
        '`POST /api/v1/domains/{id}/rotate-key` creates a second DKIM key. The first key signs until the record of the second one is found in DNS. Leave the old record in DNS for another 7 days.',
        'If a domain is withdrawn or deleted, emails waiting to be sent from it fail, and an event says why.',
      ],
    },
  ],
};

const following: Section = {
  id: 'following',
  title: 'Following an email',
  blocks: [
    {
      paragraph:
        '`GET /api/v1/emails/{id}` returns the email with its recipients, its newest 100 events and its newest 100 delivery attempts, both oldest first. Each attempt includes its SMTP conversation. If the conversations are very long, the response has fewer attempts. `GET /api/v1/emails/{id}/events` and `GET /api/v1/emails/{id}/attempts` [list](#lists) all entries, newest first. To get the entries that are older than those in this response, pass `events_next_cursor` or `attempts_next_cursor` as `after`. A cursor is null if there are no older entries.',
    },
  ],
};

const idempotency: Section = {
  id: 'idempotency',
  title: 'Idempotency',
  blocks: [
    {
      paragraph:
        'Send an `Idempotency-Key` header with every email, so that a retry cannot send it twice. A key is 1 to 256 printable ASCII characters, such as a UUID or the id of your order. It is scoped to the workspace and remembered for 24 hours.',
    },
    {
      list: [
        'The same key with the same request returns the first response again, byte for byte, with `Idempotent-Replayed: true`. Nothing is sent or counted.',
        'The same key with a different request is refused with [idempotency_key_reused](#idempotency_key_reused).',
        'While the first request is in progress, the second one waits for its response. If that takes too long, it gets [idempotency_in_progress](#idempotency_in_progress).',
        'Only successful responses are remembered. After an error you can use the key again.',
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
        'Every error is `application/problem+json` (RFC 9457). `detail` is a human-readable sentence, `code` is a stable name for programs, and `type` links to the [table of errors](#errors). A `422` lists the invalid fields in `errors`, at most 20 of them.',
    },
    {
      list: [
        'Retry after `409 idempotency_in_progress`, `429 rate_limited`, `500` and `503`, and when you get no response at all. Always send the same `Idempotency-Key` and body.',
        'Wait for the number of seconds in `Retry-After`. Without it, wait 1, 2, 4, 8 seconds and so on, up to a minute. Add random jitter, so that your clients do not all retry at the same moment.',
        'Do not retry other errors. They persist until you change the request or upgrade the plan, or until a new day or month begins. A `429` without `Retry-After` is the daily cap: wait until `resets_at`, or upgrade.',
      ],
    },
  ],
};

const counting: Section = {
  id: 'counting',
  title: 'What counts as a send',
  blocks: [
    {
      paragraph:
        'Every recipient in `to`, `cc` and `bcc` of an accepted email counts as one send. It counts against the caps of the UTC day and the UTC month in which the email was accepted. An email is accepted or refused as a whole. Refused requests, replays and our delivery retries do not count. Canceling an email refunds its sends, and a [suppressed](#suppressions) recipient is refunded too. `GET /billing/usage` shows how much you have used.',
    },
  ],
};

const rateLimit: Section = {
  id: 'rate-limit',
  title: 'Rate limits',
  blocks: [
    {
      paragraph:
        'Each API key can send 60 emails per minute, and so can each user, across all of their sessions. The operator can set other limits. An email counts once, however many recipients it has, and so does each email of a batch. A batch that is larger than the limit is accepted if nothing was sent in the last minute. If the key is valid, every response to a send request has the headers `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` (in seconds). If you exceed the limit, the response is [rate_limited](#rate_limited) with a `Retry-After` header.',
    },
    {
      paragraph:
        'All other requests have rate limits of their own, with the same headers. These limits are per key or user, or per IP address if no credential is needed or the request has no valid one. Refused requests count as well. The total size of large request and response bodies is also limited. You reach those limits only if you send or read many megabytes at the same time. [Limits](#limits) lists all of them. If a request is refused because of another limit, such as the one on failed logins, the response has `Retry-After` but not the `RateLimit-*` headers.',
    },
  ],
};

const lists: Section = {
  id: 'lists',
  title: 'Lists and pages',
  blocks: [
    {
      paragraph:
        'Lists are sorted newest first. A list looks like this: `{"object": "list", "data": [...], "has_more": true, "next_cursor": "..."}`. To get the next page, set `after` to `next_cursor`. Continue until `next_cursor` is null. To get newer entries, set `before` to the id of the first entry you have (for attempts and template versions, its number). For each following page, set `before` to `next_cursor`. `limit` sets the page size. A page can be shorter than `limit` if its entries are large, such as templates, emails with many tags or recipients, long SMTP conversations, and domains with long DNS records.',
    },
  ],
};
