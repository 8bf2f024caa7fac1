import type { Periods, UsageKey, Workspace } from '@posthorn/domain/workspaces';
import type { Rejection } from '@posthorn/platform/batching';
import type { IdempotencyKey, ScopedKey } from './idempotency-key.js';
import type { NewEmail, NewEmails } from './new-email.js';

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
export function contentCharacters({ emails }: CommitRequest): number {
  return emails.reduce((sum, { html, text }) => sum + (html?.length ?? 0) + (text?.length ?? 0), 0);
}

/** How many sends the request counts as: one for each recipient. */
export function sendsOf(emails: readonly NewEmail[]): number {
  return emails.reduce((sum, { recipients }) => sum + recipients.length, 0);
}

/** `storedResponse` was already stored for this key. If it is not null, nothing was written. */
export type CommitOutcome = { readonly storedResponse: string | null };

/** What the accept transaction did with one request. */
export type CommitResult = CommitOutcome | Rejection;

export const WRITTEN: CommitOutcome = { storedResponse: null };

/** The requests whose emails were written. */
export function writtenOf(requests: readonly CommitRequest[], results: readonly unknown[]): CommitRequest[] {
  return requests.filter((_, index) => results[index] === WRITTEN);
}

/** The usage rows in which a request is counted: first the month's, then the day's. */
export function usageKeysOf({ workspace, periods }: CommitRequest): [UsageKey, UsageKey] {
  return [
    { workspaceId: workspace.id, period: periods.month },
    { workspaceId: workspace.id, period: periods.day },
  ];
}

/** The idempotency keys of the requests that have one. */
export function scopedKeysOf(requests: readonly CommitRequest[]): ScopedKey[] {
  return requests.flatMap(({ workspace, idempotencyKey }) =>
    idempotencyKey ? [{ workspaceId: workspace.id, keyHash: idempotencyKey.keyHash }] : [],
  );
}
