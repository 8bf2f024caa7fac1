import {
  type AcceptContext,
  acceptEmails,
  hashKey,
  type IdempotencyKey,
  type SendRequest,
} from '@posthorn/domain/accepting';
import { parseAddress } from '@posthorn/domain/format';
import { escapeHtml } from '@posthorn/domain/templates';
import { findWorkspace, SYSTEM_WORKSPACE_ID } from '@posthorn/domain/workspaces';
import { removeHiddenCharacters } from '@posthorn/platform/values';

/** An email from the service itself to one address. */
export type SystemMail = {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** For 24 hours, another mail with the same key is ignored. */
  readonly idempotencyKey?: string;
};

export type SendMail = (mail: SystemMail) => Promise<void>;

/** Keeps auto-responders from replying (RFC 3834, section 5). */
const AUTO_SUBMITTED = { 'Auto-Submitted': 'auto-generated' };

/** Sends the service's own mail like any other email, so it is stored and retried in the same way. */
export async function sendSystemMail(
  ctx: AcceptContext,
  { to, subject, text, html, idempotencyKey }: SystemMail,
): Promise<void> {
  const workspace = await findWorkspace(ctx.db, SYSTEM_WORKSPACE_ID, ctx.config.rateLimitPerMinute);
  if (!workspace) throw new Error('The system workspace is missing. Run the migrations.');
  const request: SendRequest = {
    to: [parseAddress(to)],
    cc: [],
    bcc: [],
    replyTo: [],
    from: null,
    domainId: null,
    content: { kind: 'raw', subject, html, text },
    headers: AUTO_SUBMITTED,
    tags: [],
    scheduledAt: null,
    priority: 'high',
  };
  await acceptEmails(ctx, {
    caller: { id: workspace.id, workspace, domainIds: null },
    requests: [request],
    idempotencyKey: idempotencyKey === undefined ? null : toIdempotencyKey(idempotencyKey),
    toResponse: () => '',
  });
}

/** The fingerprint does not depend on the text, so a mail that reads differently after an update is not sent again. */
function toIdempotencyKey(key: string): IdempotencyKey {
  return { keyHash: hashKey(key), fingerprint: hashKey(key) };
}

type MailContent = {
  readonly subject: string;
  /** Paragraphs of plain text. */
  readonly before: readonly string[];
  /** Must not contain characters that need escaping in HTML. */
  readonly link?: { readonly label: string; readonly url: string };
  readonly after: readonly string[];
};

const NAME = 'Posthorn';

/** Some mail programs ignore style sheets, so everything that matters is in attributes. */
const STYLES = {
  page: 'max-width:560px;margin:0 auto;padding:24px;font:16px/150% -apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif',
  name: 'margin:0 0 24px;font-size:18px;font-weight:700',
  button:
    'display:inline-block;padding:12px 20px;border-radius:6px;background-color:#1b3773;color:#ffffff;font-weight:600;text-decoration:none',
  plainLink: 'font-size:13px;word-break:break-all',
} as const;

/**
 * Lays out one of the service's own mails. Both parts have the same paragraphs and the same link. The HTML sets no
 * color except that of the button, so that it can be read in light and in dark mode.
 */
export function layOutMail({ subject, before, link, after }: MailContent): {
  subject: string;
  text: string;
  html: string;
} {
  const text = [...before, ...(link ? [link.url] : []), ...after].join('\n\n');
  const html = [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">',
    `<title>${escapeHtml(subject)}</title></head><body style="margin:0">`,
    `<div style="${STYLES.page}">`,
    `<p style="${STYLES.name}">${NAME}</p>`,
    ...before.map(paragraph),
    ...(link ? toButton(link) : []),
    ...after.map(paragraph),
    '</div></body></html>',
  ];
  return { subject, text: `${text}\n`, html: `${html.join('\n')}\n` };
}

function paragraph(text: string): string {
  return `<p>${escapeHtml(text)}</p>`;
}

/** The link is also shown as text, because some people do not trust a button. */
function toButton({ label, url }: NonNullable<MailContent['link']>): string[] {
  return [
    `<p><a href="${url}" style="${STYLES.button}">${escapeHtml(label)}</a></p>`,
    `<p style="${STYLES.plainLink}"><a href="${url}">${url}</a></p>`,
  ];
}

/** Long enough for nearly every name and address, but too short for a message of its own. */
const MAX_QUOTED_CHARACTERS = 60;

/**
 * What makes mail programs turn text into a link: dots, slashes, colons and @ inside a word. The
 * ideographic full stop also separates the labels of a domain (RFC 3490, 3.1).
 */
const LINKING = /(?<=\S)[./\\:@\u3002]+(?=\S)/g;

const QUOTATION_MARKS = /["\u00ab\u00bb\u201c-\u201f\u2039\u203a]/g;

/** An address that no mail program can mistake for anything else. */
const PLAIN_ADDRESS = /^(?!.*www\.)[\w+-]+(\.[\w+-]+)*@[\w.-]+$/i;

/**
 * Quotes a name that a user chose, for the service's own mail. The result is short, on one line, and contains no links.
 */
export function quoteName(name: string): string {
  // NFKC turns full-width and other look-alike dots into ordinary dots.
  const line = removeHiddenCharacters(name.normalize('NFKC')).replaceAll(/\s+/g, ' ').trim();
  const text = line.replaceAll(LINKING, ' ').replaceAll(QUOTATION_MARKS, "'");
  return `\u201c${shorten(text)}\u201d`;
}

/**
 * Quotes a user's address in the same way, but keeps a short, plain one as it is. Mail programs may turn it into a
 * link, but only to that address.
 */
export function quoteAddress(address: string): string {
  return PLAIN_ADDRESS.test(address) && address.length <= MAX_QUOTED_CHARACTERS
    ? `\u201c${address}\u201d`
    : quoteName(address);
}

/** Cuts between characters, never inside one that JavaScript stores as two code units. */
function shorten(text: string): string {
  const characters = Array.from(text);
  return characters.length > MAX_QUOTED_CHARACTERS
    ? `${characters.slice(0, MAX_QUOTED_CHARACTERS - 1).join('')}\u2026`
    : text;
}
