import type { ExternalLogger } from 'nodemailer/lib/shared';

import { storable } from './reply.js';

const MOST_LINES = 200;
const LONGEST_LINE = 1_000;

/** The lines of one SMTP session, taken attempt by attempt: "C: ..." is us, "S: ..." the server. */
export type Conversation = {
  readonly logger: ExternalLogger;
  /** What was said since the last call. */
  take(): string[];
};

export function openConversation(): Conversation {
  let lines: string[] = [];
  const speakers: Record<string, string> = { client: 'C', server: 'S' };

  function record(entry: object | string, text?: unknown): void {
    const speaker = typeof entry === 'object' && 'tnx' in entry ? speakers[String(entry.tnx)] : undefined;
    if (speaker === undefined || lines.length >= MOST_LINES) return;
    for (const line of String(text).split(/\r?\n/)) {
      const said = speaker === 'C' ? withoutCredentials(line) : line;
      lines.push(`${speaker}: ${storable(said.slice(0, LONGEST_LINE))}`);
    }
  }

  const ignore = () => {};
  return {
    logger: {
      trace: ignore,
      debug: record,
      info: ignore,
      warn: ignore,
      error: ignore,
      fatal: ignore,
    } as ExternalLogger,
    take() {
      const taken = lines;
      lines = [];
      return taken;
    },
  };
}

/** The relay's account is the operator's: tenants read these lines. A log-in may go on without a verb. */
function withoutCredentials(line: string): string {
  const verb = /^(EHLO|HELO|STARTTLS|AUTH|MAIL|RCPT|DATA|RSET|QUIT)\b/i.exec(line)?.[1];
  if (verb === undefined) return '(credentials)';
  return verb.toUpperCase() === 'AUTH' ? 'AUTH (credentials)' : line;
}
