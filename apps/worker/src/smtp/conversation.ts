import { storableText } from '@posthorn/domain';
import type { ExternalLogger } from 'nodemailer/lib/shared';

const MAX_CONVERSATION_LINES = 200;
const MAX_LINE_CHARACTERS = 1_000;

/** The lines of one SMTP session, taken attempt by attempt: "C: ..." is us, "S: ..." the server. */
export type Conversation = {
  /** Hears what is said until a session is ready for mail. */
  readonly logger: ExternalLogger;
  /** @param commands without credentials */
  said(commands: readonly string[]): void;
  /** @param reply its lines, joined by LF */
  heard(reply: string): void;
  /** What was said since the last call. */
  take(): string[];
};

export function openConversation(): Conversation {
  let lines: string[] = [];

  function note(speaker: 'C' | 'S', line: string): void {
    if (lines.length < MAX_CONVERSATION_LINES)
      lines.push(`${speaker}: ${storableText(line.slice(0, MAX_LINE_CHARACTERS))}`);
  }

  function said(commands: readonly string[]): void {
    for (const command of commands) note('C', command);
  }

  function heard(reply: string): void {
    for (const line of reply.split('\n')) note('S', line);
  }

  function record(entry: object | string, text?: unknown): void {
    const speaker = typeof entry === 'object' && 'tnx' in entry ? entry.tnx : undefined;
    if (speaker === 'server') heard(String(text));
    if (speaker === 'client') said(String(text).split(/\r?\n/).map(withoutCredentials));
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
    said,
    heard,
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
