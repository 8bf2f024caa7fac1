import type { FeedbackKind } from '@posthorn/contract';

/** At most so many recipients in so many seconds, over all workers, evenly spread. */
export type Rate = { readonly recipients: number; readonly seconds: number };

/** Where the connections of a relay come from. IPv6 is used only with an IPv6 address of our own. */
export type Source = { readonly ipv4: string | null; readonly ipv6: string | null };

/** What the operator may set for any relay. null is the default: no limit, or what the system does. */
export type RelayOptions = {
  /** Sessions of all workers together; to each site, if mail goes straight to the recipients' servers. */
  readonly connections: number | null;
  readonly rate: Rate | null;
  /** How many recipients are tried on the first, second, ... UTC day with mail. After the last one, there is no limit. */
  readonly warmUp: readonly number[] | null;
  /** The provider whose events we take. */
  readonly feedback: FeedbackKind | null;
  /** Whether it replaces Message-ID and Date, so that they must not be signed; null if that depends on its host. */
  readonly rewritesIds: boolean | null;
  readonly source: Source;
  /** How we greet. */
  readonly ehlo: string | null;
};

export const defaultOptions: RelayOptions = {
  connections: null,
  rate: null,
  warmUp: null,
  feedback: null,
  rewritesIds: null,
  source: { ipv4: null, ipv6: null },
  ehlo: null,
};

/** A way out: an SMTP server, or straight to the recipients' mail servers. */
export type Relay = RelayOptions & {
  readonly id: string;
  readonly name: string;
  /** `host:port` of its URL, without credentials. */
  readonly address: string;
  readonly isPaused: boolean;
  /** The last part of the URL that takes its provider's events. */
  readonly feedbackToken: string;
  readonly createdAt: Date;
  /** When it last refused us or failed, and why; null if it never did. */
  readonly trouble: { readonly at: Date; readonly why: string } | null;
};

const SERVER_NAME = /^env-[1-9]\d*$/;

/** Whether this is the name of a server in SMTP_URL: `env-1` for the first one. */
export function isServerName(name: string): boolean {
  return SERVER_NAME.test(name);
}

/** @param index counts from 0, in the order of SMTP_URL */
export function toServerName(index: number): string {
  return `env-${index + 1}`;
}

/** Names appear in commands, in metrics and between `,` and `=` of a route. */
export const RELAY_NAME = /^[a-zA-Z0-9][\w.-]{0,63}$/;
