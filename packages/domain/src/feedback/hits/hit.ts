import type { TrackedPart } from '@posthorn/domain/links';

/** One request for the image of an email, or for one of its links. */
export type Hit = TrackedPart & {
  readonly at: Date;
  /** Whether the request looks automated. */
  readonly isMachine: boolean;
};

/** Two hits of the same kind are repetitions. A repetition is recorded only after a minimum time. */
export type HitKind = {
  readonly type: 'email.opened' | 'email.clicked';
  readonly recipient: string | null;
  readonly url: string | null;
  readonly machine: boolean;
};

/** What the log says about an email so far. */
export type HitHistory = {
  /** When the email was last handed to a mail server; null if that has not been recorded yet. */
  readonly sentAt: Date | null;
  readonly hits: ReadonlyArray<HitKind & { readonly lastAt: Date; readonly count: number }>;
};

/** An event to add to the log. */
export type NewHitEvent = Pick<HitKind, 'type' | 'recipient'> & {
  readonly id: string;
  readonly emailId: string;
  readonly workspaceId: string;
  readonly sequence: number;
  /** What people read. */
  readonly detail: string | null;
  readonly data: { readonly machine: boolean; readonly url?: string };
  readonly at: Date;
};
