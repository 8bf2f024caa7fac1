import { limits } from '@posthorn/domain/limits';

/** What a parameter of a path or a query string means, by its name. */
export const parameterDescriptions: Readonly<Record<string, string>> = {
  id: 'The id that was returned when the resource was created or listed.',
  version: 'The number of the version.',
  address: 'The email address, without a name. In the path, write @ as it is or as %40.',
  token: 'The part of an unsubscribe link after /u/.',
  page: 'The name of the page.',
  file: 'The name of the file.',
  limit: 'How many entries to return.',
  after: 'The `next_cursor` of the page before this one. For events, `latest` means: only events from now on.',
  before: 'To get newer entries: the cursor of the first entry you have.',
  mode: 'test for test mail instead of live mail. A key sees only mail of its own mode.',
  status: 'Only emails with this status.',
  to: 'Only emails to this address.',
  from_: 'Only emails from this address.',
  tag: 'Only emails with this tag, written as name:value.',
  template_id: 'Only emails from this template.',
  created_after: 'Only emails accepted after this time (RFC 3339).',
  created_before: 'Only emails accepted before this time (RFC 3339).',
  q: 'Only emails whose recipients or subject contain this text.',
  message_id: 'Only the email with this Message-ID.',
  idempotency_key: 'Only the emails that were sent with this Idempotency-Key.',
  format: 'csv for a file with every matching entry.',
  type: 'Only events of this type.',
  reason: 'Only suppressions with this reason.',
  topic: 'Only suppressions of this topic.',
  because: 'Why the recipient wants mail again. Required to remove a complaint.',
  email_id: 'Only the events of this email.',
  action: 'Only changes of this kind.',
  actor: 'Only changes that the user or API key with this id made.',
  target: 'Only changes of the resource with this id.',
  days: 'How many 24-hour days to look back.',
  name: 'Only templates whose name contains this text.',
  revoked: 'true for revoked keys only, false for all other keys.',
};

/** A query string is text, so the rules check these numbers with a pattern. Clients must know they are numbers. */
export const queryNumbers: Readonly<Record<string, object>> = {
  limit: { type: 'integer', minimum: 1, maximum: limits.pageSize.max },
  days: { type: 'integer', minimum: 1, maximum: 31 },
};
