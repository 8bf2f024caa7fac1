import type { EventType, Mode } from '@posthorn/contract';

/** One entry of the event log. */
export type LoggedEvent = {
  readonly id: string;
  /** The id of the email for events of emails. Every other event is a stream of its own. */
  readonly streamId: string;
  /** Counts the events of a stream from 1. */
  readonly sequence: number;
  readonly type: EventType;
  readonly recipient: string | null;
  readonly detail: string | null;
  /** Facts that only some types have; null for most events of emails. */
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly mode: Mode;
  readonly createdAt: Date;
};
