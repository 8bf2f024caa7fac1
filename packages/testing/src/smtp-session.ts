/** What a client has sent in one SMTP session. */
export type Session = {
  from: string;
  to: string[];
  text: string;
  /** No line or message ends before this position in `text`. */
  searched: number;
  inMessage: boolean;
  sawBody: boolean;
};

/** Takes the next complete command, message or start of a message from the received text. */
export function takeNext(session: Session): { kind: 'line' | 'body' | 'message'; text: string } | null {
  const { text, inMessage, sawBody } = session;
  if (inMessage && !sawBody && text.length > 0) {
    session.sawBody = true;
    return { kind: 'body', text: '' };
  }
  const isEmpty = inMessage && text.startsWith('.\r\n');
  const end = inMessage && !isEmpty ? '\r\n.\r\n' : '\r\n';
  const at = text.indexOf(end, session.searched);
  // Part of `end` may have arrived.
  session.searched = at < 0 ? Math.max(0, text.length - end.length) : 0;
  if (at < 0) return null;
  Object.assign(session, { text: text.slice(at + end.length), inMessage: false });
  return { kind: inMessage ? 'message' : 'line', text: text.slice(0, at) };
}
