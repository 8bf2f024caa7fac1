/**
 * Every limit on a request or a workspace, in one table. Validators read the number; /docs and docs/limits.md
 * print the row. Caps and the rate limit for emails belong to workspaces (workspaces/plans.ts), and the size of a
 * request body is a setting (config/config.ts).
 */
const KB = 1_000;
const MB = 1_000_000;

export const limits = {
  batch: { max: 100, unit: 'emails', of: 'a batch' },
  recipients: { max: 50, unit: 'addresses', of: 'to, cc and bcc of one email together, without duplicates' },
  addresses: { max: 100, unit: 'addresses', of: 'each of to, cc and bcc, including duplicates' },
  address: { max: 254, unit: 'characters', of: 'an email address (RFC 5321, 4.5.3.1.3)' },
  localPart: { max: 64, unit: 'characters', of: 'the part of an address before the @ (RFC 5321, 4.5.3.1.1)' },
  displayName: { max: 64, unit: 'characters', of: 'the display name of an address' },
  replyTo: { max: 10, unit: 'addresses', of: 'reply_to' },
  subject: {
    max: 998,
    unit: 'characters',
    of: 'a subject, before and after its variables are filled in (RFC 5322, 2.1.1)',
  },
  html: { max: 2 * MB, unit: 'bytes', of: 'html, before and after its variables are filled in' },
  text: { max: 2 * MB, unit: 'bytes', of: 'text, before and after its variables are filled in' },
  attachments: { max: 10, unit: 'attachments', of: 'an email' },
  attachmentName: { max: 255, unit: 'characters', of: 'the filename of an attachment' },
  contentType: { max: 255, unit: 'characters', of: 'the content_type of an attachment' },
  contentId: { max: 128, unit: 'characters', of: 'the content_id of an attachment' },
  messageBytes: { max: 10 * MB, unit: 'bytes', of: 'a whole message, encoded as it is sent' },
  headers: { max: 50, unit: 'headers', of: 'headers' },
  headerName: { max: 128, unit: 'characters', of: 'the name of a custom header' },
  headerValue: { max: 998, unit: 'characters', of: 'the value of a custom header' },
  tags: { max: 75, unit: 'tags', of: 'tags' },
  tag: { max: 256, unit: 'characters', of: 'the name or the value of a tag' },
  templateVars: { max: 100, unit: 'fields', of: 'template_vars' },
  templateVarsBytes: { max: 64 * KB, unit: 'bytes', of: 'template_vars as JSON' },
  templateVarName: { max: 100, unit: 'characters', of: 'the name of a template variable' },
  templateDeclarationsBytes: { max: 16 * KB, unit: 'bytes', of: 'variables of a template as JSON' },
  derivedText: { max: 250_000, unit: 'characters', of: 'html_body when text_from_html generates the text' },
  templates: { max: 500, unit: 'templates', of: 'a workspace' },
  templateVersions: {
    max: 100,
    unit: 'versions',
    of: 'a template; older ones are kept only while an email uses them. A template can be updated at most 100 times in 10 minutes',
  },
  templateName: { max: 200, unit: 'characters', of: 'the name of a template' },
  templateTags: {
    max: 2_000,
    unit: 'placeholders',
    of: 'one part (subject, html_body or text_body) of a template, including comments',
  },
  reschedules: { max: 100, unit: 'times', of: 'how many times one email can be rescheduled' },
  scheduleDays: {
    max: 30,
    unit: 'days',
    of: 'how far ahead an email can be scheduled, counted from when it was accepted',
  },
  idInBody: { max: 100, unit: 'characters', of: 'an id in a request body' },
  expiryHours: { max: 72, unit: 'hours', of: 'how far expires_at can be after scheduled_at, or after the request' },
  idempotencyKey: { max: 256, unit: 'characters', of: 'Idempotency-Key, printable ASCII' },
  idempotencyHours: { max: 24, unit: 'hours', of: 'how long an Idempotency-Key is remembered' },
  pageSize: { max: 100, unit: 'entries', of: 'one page of a list; the default is 20' },
  searchText: { max: 200, unit: 'characters', of: 'q in GET /api/v1/emails, which needs at least 3' },
  searchDays: { max: 30, unit: 'days', of: 'how far back q searches if created_after is not set' },
  messageId: { max: 400, unit: 'characters', of: 'message_id in GET /api/v1/emails' },
  exports: { max: 2, unit: 'simultaneous CSV exports', of: 'a workspace, per API process' },
  messageReads: { max: 6, unit: 'simultaneous reads of whole messages', of: 'a workspace, per API process' },
  exportStallSeconds: { max: 60, unit: 'seconds', of: 'how long a download waits for a client that stops reading' },
  statsDays: { max: 31, unit: 'days', of: 'how far back GET /api/v1/emails/stats looks' },
  statsEmails: {
    max: 10_000,
    unit: 'emails',
    of: 'GET /api/v1/emails/stats, which counts the newest emails; truncated says whether there are more',
  },
  faults: { max: 20, unit: 'errors', of: '`errors` of a 422; the rest are left out' },
  jsonDepth: { max: 16, unit: 'levels', of: 'nesting in a request body' },
  jsonValues: { max: 20_000, unit: 'values', of: 'a request body' },
  jsonFields: { max: 1_000, unit: 'fields', of: 'an object in a request body' },
  jsonCharactersOutsideStrings: {
    max: 1 * MB,
    unit: 'characters',
    of: 'a request body without its strings, but with its white space',
  },
  publicBody: {
    max: 16 * KB,
    unit: 'bytes',
    of: 'a request body on a path that needs no credential, such as those under /auth',
  },
  smallBody: {
    max: 64 * KB,
    unit: 'bytes',
    of: 'a request body without html or text, such as a request to create a key or reschedule an email',
  },
  bodiesOfWorkspace: {
    max: 20 * MB,
    unit: 'bytes',
    of: "the total size of a workspace's request and response bodies over 64 kB that an API process handles at the same time",
  },
  bodiesOfProcess: {
    max: 60 * MB,
    unit: 'bytes',
    of: 'the total size of all request and response bodies over 64 kB that an API process handles at the same time; one workspace can use at most half of what is free',
  },
  bodiesPerMinute: {
    max: 60 * MB,
    unit: 'bytes per minute',
    of: "a workspace's request and response bodies over 64 kB, per API process; or 1 MB for each email that the rate limit allows per minute, if that is more",
  },
  requests: {
    max: 600,
    unit: 'requests per minute',
    of: 'an API key or a user, not counting requests to send email; or ten times the rate limit for emails, if that is more',
  },
  heavyRequests: {
    max: 120,
    unit: 'requests per minute',
    of: 'an API key or a user, for creating, changing and previewing templates and creating API keys; or twice the rate limit for emails, if that is more',
  },
  publicRequests: {
    max: 600,
    unit: 'requests per minute',
    of: 'one IP address on paths that need no credential, per API process; /healthz, /readyz and the scripts and styles of /docs have no limit',
  },
  keyName: { max: 100, unit: 'characters', of: 'the name of an API key' },
  keys: { max: 100, unit: 'keys', of: 'a workspace, not counting revoked keys' },
  domainName: {
    max: 180,
    unit: 'characters',
    of: 'the name of a domain; its bounce address is 67 characters longer, and mail servers accept at most 254',
  },
  domains: { max: 100, unit: 'domains', of: 'a workspace' },
  domainRequests: {
    max: 60,
    unit: 'requests per minute',
    of: 'adding domains, verifying them and rotating their keys, per workspace and API process',
  },
  retiredKeyDays: { max: 7, unit: 'days', of: 'how long the record of a retired DKIM key must stay in DNS' },
  workspaceName: { max: 100, unit: 'characters', of: 'the name of a workspace' },
  members: { max: 100, unit: 'members', of: 'a workspace, including invited members' },
  invitationDays: { max: 7, unit: 'days', of: 'how long an invitation link works' },
  invitationMails: { max: 50, unit: 'invitations per day', of: 'a workspace, including resent invitations' },
  invitationMailsToAddress: { max: 5, unit: 'invitations per day', of: 'one email address, from all workspaces' },
  verificationHours: { max: 24, unit: 'hours', of: 'how long a link that confirms an email address works' },
  verificationMails: { max: 5, unit: 'links per day', of: 'to confirm one email address' },
  verificationMailsFromNetwork: {
    max: 20,
    unit: 'links per hour',
    of: 'to confirm email addresses, requested from one IP address (for IPv6, its /64 network)',
  },
  verificationMailsInTotal: {
    max: 1_000,
    unit: 'links per hour',
    of: 'to confirm email addresses, for all sign-ups together',
  },
  unverifiedSends: {
    max: 10,
    unit: 'sends per day',
    of: "a workspace whose owner's email address is not confirmed yet; it can send to that address only",
  },
  unverifiedSendsFromNetwork: {
    max: 30,
    unit: 'emails per hour',
    of: 'all such workspaces that were created from one IP address (for IPv6, its /64 network)',
  },
  unverifiedSendsInTotal: { max: 1_000, unit: 'emails per hour', of: 'all such workspaces together' },
  signUps: { max: 20, unit: 'sign-ups in 15 minutes', of: 'one IP address (for IPv6, its /64 network)' },
  passwordResets: { max: 10, unit: 'requests in 15 minutes', of: 'password resets requested from one IP address' },
  failedLogins: { max: 10, unit: 'failures in 15 minutes', of: 'logging in to one account from one IP address' },
  failedLoginsFromNetwork: { max: 100, unit: 'failures in 15 minutes', of: 'logging in from one IP address' },
  failedLoginsToAccount: {
    max: 100,
    unit: 'failures per hour',
    of: 'logging in to one account from devices that have not logged in to it before',
  },
  failedLoginsDuringAttack: {
    max: 2,
    unit: 'failures per hour',
    of: 'logging in to one account from each additional IP address after that',
  },
  waitingPasswords: { max: 8, unit: 'passwords', of: 'from one IP address, waiting to be checked at the same time' },
  password: { max: 200, unit: 'characters', of: 'a password; the minimum is 10' },
  ambiguousAttempts: {
    max: 5,
    unit: 'attempts',
    of: 'one email, counting only attempts whose result is unknown because the worker stopped or the connection broke; after one more, the email fails',
  },
  unsentAttempts: {
    max: 20,
    unit: 'attempts',
    of: 'one email with large attachments, counting only attempts whose worker stopped before it had sent the whole message; after one more, the email fails',
  },
  maxAgeHours: {
    max: 72,
    unit: 'hours',
    of: 'how long we try to deliver an email, counted from the time it was first due',
  },
} as const;

export const DEFAULT_PAGE_SIZE = 20;
/** A shorter string would be in nearly every email. */
export const MIN_SEARCH_CHARACTERS = 3;
export const MIN_PASSWORD_CHARACTERS = 10;
