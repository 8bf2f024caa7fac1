import { convert, type HtmlToTextOptions } from 'html-to-text';

/** Some servers do not escape the address that they put in angle brackets, and it would be read as a tag. */
const OPENS_ADDRESS = /<(?=[^\s<>"'=]*@[^<>]*>)/g;

/** Elements that begin and end a line on the screen. */
const LINES = ['p', 'div', 'tr', 'td', 'th', 'table', 'ul', 'ol', 'li', 'pre', 'blockquote'];
const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];
const LINE_BREAKS = { leadingLineBreaks: 1, trailingLineBreaks: 1 };

const OPTIONS: HtmlToTextOptions = {
  wordwrap: false,
  limits: { maxDepth: 100 },
  selectors: [
    ...[...LINES, ...HEADINGS].map((selector) => ({ selector, format: 'block', options: LINE_BREAKS })),
    { selector: 'a', format: 'inline' },
    ...['img', 'head', 'title'].map((selector) => ({ selector, format: 'skip' })),
  ],
};

/** Reads the text of a bounce that has no text part, with the lines as a person sees them. */
export function toText(html: string): string {
  return convert(html.replace(OPENS_ADDRESS, '&lt;'), OPTIONS);
}
