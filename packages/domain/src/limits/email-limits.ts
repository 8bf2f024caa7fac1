import { dayLimits, sendLimits } from '@posthorn/contract';
import { MAX_AGE_HOURS, MAX_SCHEDULE_DAYS } from '@posthorn/platform/config';
import { formatCount } from '@posthorn/platform/values';

const KB = 1_000;
const MB = 1_000_000;

/** A client that reads a large response more slowly keeps its memory from others. */
export const MIN_DOWNLOAD_BYTES_PER_SECOND = 16 * KB;

/** Limits on emails, templates and lists. */
export const emailLimits = {
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
  attachments: { max: sendLimits.attachments, unit: 'attachments', of: 'an email' },
  attachmentName: { max: 255, unit: 'characters', of: 'the filename of an attachment' },
  contentType: { max: 255, unit: 'characters', of: 'the content_type of an attachment' },
  contentId: { max: 128, unit: 'characters', of: 'the content_id of an attachment' },
  messageBytes: { max: sendLimits.messageBytes, unit: 'bytes', of: 'a whole message, encoded as it is sent' },
  headers: { max: 50, unit: 'headers', of: 'headers' },
  headerName: { max: 128, unit: 'characters', of: 'the name of a custom header' },
  headerValue: { max: 8_000, unit: 'characters', of: 'the value of a custom header' },
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
    max: MAX_SCHEDULE_DAYS,
    unit: 'days',
    of: 'how far ahead an email can be scheduled, counted from when it was accepted',
  },
  idInBody: { max: 100, unit: 'characters', of: 'an id in a request body' },
  expiryHours: { max: 72, unit: 'hours', of: 'how far expires_at can be after scheduled_at, or after the request' },
  idempotencyKey: { max: 256, unit: 'characters', of: 'Idempotency-Key, printable ASCII' },
  idempotencyHours: { max: 24, unit: 'hours', of: 'how long an Idempotency-Key is remembered' },
  pageSize: { max: 100, unit: 'entries', of: 'one page of a list; the default is 20' },
  searchText: { max: 200, unit: 'characters', of: 'q in GET /api/v1/emails, which needs at least 3' },
  searchDays: { max: dayLimits.search, unit: 'days', of: 'how far back q searches if created_after is not set' },
  messageId: { max: 400, unit: 'characters', of: 'message_id in GET /api/v1/emails' },
  exports: {
    max: 2,
    unit: 'simultaneous exports',
    of: 'a workspace, per API process; exports of the workspace and of lists as CSV together',
  },
  messageReads: { max: 6, unit: 'simultaneous reads of whole messages', of: 'a workspace, per API process' },
  downloadStallSeconds: {
    max: 10,
    unit: 'seconds',
    of: `how long a download waits for a client that stops reading, in addition to the time that the client may take at ${formatCount(MIN_DOWNLOAD_BYTES_PER_SECOND)} bytes per second`,
  },
  downloadsOfWorkspace: {
    max: 10 * MB,
    unit: 'bytes',
    of: "the total size of a workspace's whole messages over 64 kB that clients are downloading at the same time, per API process; one message is always possible",
  },
  downloadsOfProcess: {
    max: 60 * MB,
    unit: 'bytes',
    of: 'the total size of all such messages in an API process; one workspace can use at most half of what is free',
  },
  downloadWaitSeconds: { max: 5, unit: 'seconds', of: 'how long a download waits for room before it is refused' },
  statsDays: { max: 31, unit: 'days', of: 'how far back GET /api/v1/emails/stats looks' },
  statsEmails: {
    max: 10_000,
    unit: 'emails',
    of: 'GET /api/v1/emails/stats, which counts the newest emails; truncated says whether there are more',
  },
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
    max: MAX_AGE_HOURS,
    unit: 'hours',
    of: 'how long we try to deliver an email, counted from the time it was first due',
  },
} as const;
