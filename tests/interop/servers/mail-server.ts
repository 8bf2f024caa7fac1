/** How a mail server must be configured, apart from `SERVER_LIMITS`. */
export type Settings = {
  readonly port: number;
  /** The loopback port to which the server forwards all mail, except for bounces. */
  readonly sinkPort: number;
  /** The domain of all return paths, and the loopback port of the listener for bounces. */
  readonly bounceDomain: string;
  readonly bouncePort: number;
  readonly user: string;
  readonly password: string;
  /** The loopback port on which `answerLogins` listens. */
  readonly loginPort: number;
  /** Whether it takes mail from everybody, as the mail server of its domains, and TLS is only offered. */
  readonly isMx: boolean;
  readonly certificateFile: string;
  readonly keyFile: string;
};

/** The limits that every server is configured with. */
export const SERVER_LIMITS = {
  messageBytes: 100_000,
  recipients: 5,
  connections: 3,
  messagesPerConnection: 5,
} as const;

/** A mail server from a Debian package, configured with as many of these limits as it supports. */
export type MailServer = {
  readonly packageName: string;
  readonly requiresTlsAndLogin: boolean;
  /** Whether it can limit the number of connections per client. */
  readonly limitsConnections: boolean;
  /** Whether it asks `answerLogins` for passwords. */
  readonly asksForLogins: boolean;
  /** Whether its bounces have the reply of the next server in a field, and not only in text for people. */
  readonly reportsReplies: boolean;
  /** Its configuration files, by absolute path. */
  files(settings: Settings): Readonly<Record<string, string>>;
  /** A shell script that completes the configuration and then runs the server in the foreground. */
  script(settings: Settings): string;
};
