import { escapeHtml } from '@posthorn/domain/templates';

export type MailContent = {
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
