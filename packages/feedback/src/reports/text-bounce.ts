import type { Email } from 'postal-mime';
import { parseReply } from '../bounce-classes/bounce-reply.js';
import { classifyReply } from '../bounce-classes/classify-reply.js';
import { parseAddress } from './address.js';
import type { ReportedRecipient } from './report.js';

/**
 * Reads bounces of servers that do not write a message/delivery-status part. Each form has marks that no other mail has,
 * because a guess could declare a mailbox dead that is not.
 * @returns no recipients if the message has none of these forms
 */
export function parseTextBounce(email: Email): ReportedRecipient[] {
  const text = (email.text ?? '').replace(/\r\n?/g, '\n');
  for (const parse of [parseQmail, parseExim, parseSendmail, parseGmail]) {
    const recipients = parse(email, text);
    if (recipients.length > 0) return recipients;
  }
  return [];
}

/** "The qmail-send Bounce Message Format" (cr.yp.to/proto/qsbmf.txt): paragraphs that begin with `<address>:`. */
function parseQmail(_: Email, text: string): ReportedRecipient[] {
  if (!/^Hi\. (?:This is|The) .*qmail|^This is the qmail-send program|^Hi\. This is the /m.test(text)) return [];
  const [report = ''] = text.split(/^--- /m);
  return report.split(/\n[ \t]*\n/).flatMap((paragraph) => {
    const [, address, reason] = /^<([^<>\n]+)>:\s*([\s\S]*)$/.exec(paragraph.trim()) ?? [];
    return address === undefined ? [] : failed(address, remoteReplyIn(reason ?? ''));
  });
}

/** qmail and sendmail put their own words before what the server said. */
function remoteReplyIn(reason: string): string {
  return /Remote host said:\s*([\s\S]*?)(?:\nGiving up on|$)/.exec(reason)?.[1] ?? reason;
}

/** Exim names the recipients in a header, and quotes what the server said below each address. */
function parseExim({ headers }: Email, text: string): ReportedRecipient[] {
  const named = headers.filter(({ key }) => key === 'x-failed-recipients').flatMap(({ value }) => value.split(','));
  return named.flatMap((address) => {
    const bare = parseAddress(address);
    if (bare === null) return [];
    const start = text.toLowerCase().indexOf(bare);
    const [reason = ''] = start < 0 ? [] : text.slice(start + bare.length).split(/\n[ \t]*\n/);
    return failed(bare, /(?:^|\n)\s*((?:SMTP error|\d{3}[ -])[\s\S]*)/.exec(reason)?.[1] ?? reason);
  });
}

/** sendmail before it wrote delivery statuses, and servers that copy its words. */
function parseSendmail(_: Email, text: string): ReportedRecipient[] {
  const [, block] =
    /-+ The following addresses had (?:permanent fatal|delivery) errors -+\n([\s\S]*?)(?:\n\s*-{3,}|$)/.exec(text) ??
    [];
  if (block === undefined) return [];
  const transcript = /-+ Transcript of session follows -+\n([\s\S]*)/.exec(text)?.[1] ?? '';
  return block.split('\n').flatMap((line) => {
    const address = parseAddress(line.trim());
    if (address === null) return [];
    const reason = /\(reason: ([^\n]*)\)/.exec(block.slice(block.indexOf(line)))?.[1];
    const said = /^(?:<<< )?(5\d\d[ -].*)$/m.exec(transcript)?.[1];
    return failed(address, reason ?? said ?? '');
  });
}

/** Gmail before 2013 wrote text alone, and its groups still do. */
function parseGmail(_: Email, text: string): ReportedRecipient[] {
  const [, address, rest] =
    /Delivery to the following recipients? failed permanently:\s*\n\s*(\S+@\S+)\s*\n([\s\S]*)/.exec(text) ?? [];
  if (address === undefined) return [];
  return failed(
    address,
    /(?:error that the other server returned was|The response was):\s*([\s\S]*?)(?:\n\s*\n|$)/.exec(rest ?? '')?.[1] ??
      '',
  );
}

function failed(address: string, said: string): ReportedRecipient[] {
  const bare = parseAddress(address);
  const reply = parseReply(said);
  return bare === null
    ? []
    : [{ address: bare, originalAddress: null, action: 'failed', reply, class: classifyReply(reply) }];
}
