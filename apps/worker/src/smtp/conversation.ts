import { toStorableText } from '@posthorn/platform/postgres';
import type { ExternalLogger } from 'nodemailer/lib/shared';

const MAX_CONVERSATION_LINES = 200;
const MAX_LINE_CHARACTERS = 1_000;

/** The lines of an SMTP session, collected per attempt: "C: ..." from us, "S: ..." from the server. */
export type Conversation = {
  /** Records what nodemailer sends and receives until the session is ready. */
  readonly logger: ExternalLogger;
  /** @param commands without credentials */
  recordCommands(commands: readonly string[]): void;
  /** @param reply its lines, joined by LF */
  recordReply(reply: string): void;
  /** Returns the lines since the last call. */
  take(): string[];
};

/** @param onCommand called with each command that nodemailer sends */
export function openConversation(onCommand: (command: string) => void = () => {}): Conversation {
  let lines: string[] = [];

  function add(speaker: 'C' | 'S', line: string): void {
    if (lines.length < MAX_CONVERSATION_LINES)
      lines.push(`${speaker}: ${toStorableText(line.slice(0, MAX_LINE_CHARACTERS))}`);
  }

  function recordCommands(commands: readonly string[]): void {
    for (const command of commands) add('C', command);
  }

  function recordReply(reply: string): void {
    for (const line of reply.split('\n')) add('S', line);
  }

  function log(entry: object | string, text?: unknown): void {
    const speaker = typeof entry === 'object' && 'tnx' in entry ? entry.tnx : undefined;
    if (speaker === 'server') recordReply(String(text));
    if (speaker !== 'client') return;
    recordCommands(String(text).split(/\r?\n/).map(withoutCredentials));
    onCommand(String(text));
  }

  const ignore = () => {};
  return {
    logger: {
      trace: ignore,
      debug: log,
      info: ignore,
      warn: ignore,
      error: ignore,
      fatal: ignore,
    } as ExternalLogger,
    recordCommands,
    recordReply,
    take() {
      const taken = lines;
      lines = [];
      return taken;
    },
  };
}

/**
 * Hides the login, because customers can read these lines but the relay account belongs to the operator. A line without
 * a known verb may be part of a login.
 */
function withoutCredentials(line: string): string {
  const verb = /^(EHLO|HELO|STARTTLS|AUTH|MAIL|RCPT|DATA|RSET|QUIT)\b/i.exec(line)?.[1];
  if (verb === undefined) return '(credentials)';
  return verb.toUpperCase() === 'AUTH' ? 'AUTH (credentials)' : line;
}
