import type {
  BounceClass,
  EmailEventType,
  EmailStatus,
  RecipientStatus,
  ReportKind,
  ReportResult,
} from '@posthorn/contract';
import type { ReturnPathEnvelope } from '@posthorn/domain/domains';

/** A report as it was received. */
export type ReceivedReport = {
  /** What the return path says that it was sent to; null for a report to the address for complaints. */
  readonly envelope: ReturnPathEnvelope | null;
  /** The message, or its beginning if it is long. */
  readonly raw: Buffer;
  /** The bytes of the whole message. */
  readonly size: number;
  /** Of the whole message and its recipient. */
  readonly digest: Buffer;
};

/** A report that this process is to process. If it does not finish in time, another process does it again. */
export type LeasedReport = Pick<ReceivedReport, 'envelope' | 'raw'> & {
  readonly id: string;
  /** How many times it was leased, which fences the writes of a process that was too slow. */
  readonly tries: number;
};

/** What a report says about one recipient. */
export type RecipientReport = {
  /** `deferred` says that another server is still trying. */
  readonly event: 'delivered' | 'bounced' | 'complained' | 'deferred';
  /** The addresses that the report names, the one that we sent to first. Empty if it names none. */
  readonly addresses: readonly string[];
  readonly code: number | null;
  /** What the other server said. */
  readonly text: string;
  /** null unless it bounced. */
  readonly bounceClass: BounceClass | null;
};

/** A report that has been parsed, and what it says about our recipients. */
export type InterpretedReport = Pick<LeasedReport, 'id' | 'tries'> & {
  readonly kind: ReportKind;
  /** The email and recipients that it is about; null if it does not prove that it is about an email of ours. */
  readonly envelope: ReturnPathEnvelope | null;
  readonly recipients: readonly RecipientReport[];
};

/** A report as the workspace's users see it. */
export type StoredReport = {
  readonly id: string;
  /** null until it has been read. */
  readonly kind: ReportKind | null;
  /** null until it has been processed. */
  readonly result: ReportResult | null;
  /** The bytes of the whole message. */
  readonly size: number;
  /** The beginning of the message; null after a recipient of the email was erased. */
  readonly text: string | null;
  /** Whether the message continues after `text`. */
  readonly truncated: boolean;
  readonly receivedAt: Date;
};

/** What a report changes about one recipient. `from` and `to` are equal if only an event is written. */
type RecipientChange = {
  readonly position: number;
  readonly address: string;
  readonly from: RecipientStatus;
  readonly to: RecipientStatus;
  readonly event: EmailEventType;
  readonly reported: RecipientReport;
};

/** What several reports change about one email. */
export type EmailChanges = {
  readonly status: EmailStatus;
  /** Whether no recipient is waiting any more. */
  readonly isFinished: boolean;
  readonly recipients: readonly RecipientChange[];
  /** A complaint that hides which of several recipients complained. null if there is none, or not the first. */
  readonly unattributedComplaint: RecipientReport | null;
  /**
   * What the reports said about recipients, even if it changed nothing because it was known. A bounce that contradicts
   * what is known, for example after a confirmed delivery, is left out.
   */
  readonly reported: ReadonlyArray<RecipientReport & { readonly address: string }>;
  /** By the id of the report. */
  readonly results: ReadonlyMap<string, ReportResult>;
};
