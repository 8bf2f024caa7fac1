import type { EmailStatus, Mode, Warning } from '@posthorn/contract';
import type { Address } from '@posthorn/domain/format';
import { limits } from '@posthorn/domain/limits';
import type { Tracking } from '@posthorn/domain/links';
import type { TemplateVars } from '@posthorn/domain/templates';
import type { Periods, UsageKey, Workspace } from '@posthorn/domain/workspaces';
import type { Rejection } from '@posthorn/platform/batching';
import type { IdempotencyKey } from './idempotency-key.js';
import type { ScopedKey } from './idempotency-store.js';
import { countRecipients, type SendRequest } from './send-request.js';

/** An email as the accept transaction writes it: the request, and what was decided about it. */
export type NewEmail = {
  readonly request: SendRequest;
  readonly id: string;
  readonly workspaceId: string;
  readonly status: Extract<EmailStatus, 'queued' | 'scheduled'>;
  readonly from: Address;
  readonly domainId: string | null;
  readonly subject: string;
  /** null for raw content. */
  readonly template: { readonly id: string; readonly version: number; readonly vars: TemplateVars } | null;
  /** What the email reports; null if it reports nothing. */
  readonly tracking: Tracking | null;
  readonly mode: Mode;
  /** What it counts as in the storage of its workspace; 0 for nearly all live mail. */
  readonly countedBytes: number;
  /** Whether a recipient is an address of the simulator. */
  readonly isSimulated: boolean;
  readonly createdAt: Date;
  readonly warnings: readonly Warning[];
  /** The UTC day on which its recipients are counted, such as '2026-11-21'. */
  readonly usageDay: string;
};

/** One email, or all emails of a batch. */
export type NewEmails = readonly [NewEmail, ...NewEmail[]];

/** A request that has passed the admission check and is waiting for the accept transaction. */
export type CommitRequest = {
  readonly workspace: Workspace;
  readonly periods: Periods;
  /** One email, or all emails of a batch. Either all or none of them are stored. */
  readonly emails: NewEmails;
  readonly requestId?: string | undefined;
  readonly traceparent?: string | undefined;
  readonly idempotencyKey: IdempotencyKey | null;
  /** The response body, byte for byte. It is stored with the idempotency key. */
  readonly response: string;
};

/** The total length of the html and text of all emails in the request. */
export function countContentCharacters({ emails }: CommitRequest): number {
  return emails.reduce((sum, { request: { content } }) => {
    if (content.kind === 'template') return sum;
    return sum + (content.html?.length ?? 0) + (content.text?.length ?? 0);
  }, 0);
}

/** What the rows of a test email take up, with their share of the indexes, without its content and its recipients. */
const TEST_EMAIL_BYTES = 3_000;
const TEST_RECIPIENT_BYTES = 500;

type MeasuredEmail = Pick<NewEmail, 'mode' | 'request' | 'subject' | 'template'>;

/**
 * What an email counts as in the storage of its workspace: its content, and for test mail also its rows. The rows of
 * live mail are limited by the caps. Files are counted on their own.
 * @returns 0 for live mail with less content than `limits.uncountedContent`
 */
export function measureCountedBytes(email: MeasuredEmail): number {
  if (email.mode === 'test')
    return TEST_EMAIL_BYTES + TEST_RECIPIENT_BYTES * countRecipients(email.request) + measureContent(email);
  if (!mayBeLarge(email)) return 0;
  const bytes = measureContent(email);
  return bytes > limits.uncountedContent.max ? bytes : 0;
}

function measureContent({ request, subject, template }: MeasuredEmail): number {
  const { content, headers, tags } = request;
  const { html, text } = content.kind === 'template' ? { html: null, text: null } : content;
  const texts = [html ?? '', text ?? '', subject, JSON.stringify([headers, tags, template?.vars])];
  return texts.reduce((sum, each) => sum + Buffer.byteLength(each), 0);
}

/** A UTF-16 code unit takes up to three bytes in UTF-8, and six as an escape in JSON. */
const MAX_BYTES_PER_UNIT = 3;
const MAX_BYTES_PER_UNIT_IN_JSON = 6;
/** The names, quotes and brackets around a value, as if they had to be escaped too. */
const SYNTAX_UNITS = 6;

/** False for nearly all live mail. It only adds up lengths, because every email pays for it. */
function mayBeLarge({ request: { content, headers, tags }, subject, template }: MeasuredEmail): boolean {
  const body = content.kind === 'template' ? 0 : (content.html?.length ?? 0) + (content.text?.length ?? 0);
  let fields = 0;
  for (const name in headers) fields += name.length + (headers[name] ?? '').length + SYNTAX_UNITS;
  for (const { name, value } of tags) fields += name.length + value.length + SYNTAX_UNITS;
  const vars = template?.vars ?? {};
  for (const name in vars) fields += name.length + String(vars[name]).length + SYNTAX_UNITS;
  const max = (body + subject.length) * MAX_BYTES_PER_UNIT + fields * MAX_BYTES_PER_UNIT_IN_JSON;
  return max > limits.uncountedContent.max;
}

/** How many sends the request counts as: one for each recipient. */
export function countSends(emails: readonly NewEmail[]): number {
  return emails.reduce((sum, { request }) => sum + countRecipients(request), 0);
}

/** `storedResponse` was already stored for this key. If it is not null, nothing was written. */
export type CommitOutcome = { readonly storedResponse: string | null };

/** What the accept transaction did with one request. */
export type CommitResult = CommitOutcome | Rejection;

export const WRITTEN: CommitOutcome = { storedResponse: null };

/** The requests whose emails were written. */
export function listWritten(requests: readonly CommitRequest[], results: readonly unknown[]): CommitRequest[] {
  return requests.filter((_, index) => results[index] === WRITTEN);
}

/** The usage rows in which a request is counted: first the month's, then the day's. */
export function toUsageKeys({ workspace, periods }: CommitRequest): [UsageKey, UsageKey] {
  return [
    { workspaceId: workspace.id, period: periods.month },
    { workspaceId: workspace.id, period: periods.day },
  ];
}

/** The idempotency keys of the requests that have one. */
export function listScopedKeys(requests: readonly CommitRequest[]): ScopedKey[] {
  return requests.flatMap(({ workspace, idempotencyKey }) =>
    idempotencyKey ? [{ workspaceId: workspace.id, keyHash: idempotencyKey.keyHash }] : [],
  );
}

/** How many emails may share one accept transaction. A larger batch gets a transaction of its own. */
export const groupSize = {
  /** A larger group costs less per email, but makes other requests that need the same usage rows wait longer. */
  max: 50,
  countIn: ({ emails }: CommitRequest) => emails.length,
  weigh: countContentCharacters,
  /**
   * Characters of html and text. Postgres reads a group of this size well within the time limit of an optimistic
   * commit.
   */
  maxWeight: 4_000_000,
};
