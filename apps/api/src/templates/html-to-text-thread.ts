// Runs in a thread of its own, because deeply nested HTML can take seconds.

import { serveJobs } from '@posthorn/threads';
import { convert, type DomNode, type FormatCallback } from 'html-to-text';

const MAX_DEPTH = 100;

/**
 * What hides an element from readers, such as the preheader that only lists of messages show. `font-size:0` is not here,
 * because layouts set it around text with a size of its own, nor is `mso-hide:all`, which hides from Outlook alone.
 */
const HIDING = ['display:none', 'visibility:hidden', 'max-height:0'];
const hidingStyles = HIDING.flatMap((style) => [style, style.replace(':', ': ')]);

const HIDDEN = [
  'head',
  'title',
  'template',
  '[hidden]',
  '[aria-hidden="true"]',
  ...hidingStyles.map((style) => `[style*="${style}" i]`),
];

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];

/** The alternative text of an image is kept if the image is a link. */
const formatImage: FormatCallback = ({ attribs, parent }, _, builder) => {
  let around = parent as DomNode | null;
  while (around !== null && around.name !== 'a') around = around.parent as DomNode | null;
  if (around !== null) builder.addInline(attribs?.alt ?? '');
};

const formatCell: FormatCallback = ({ children }, walk, builder) => {
  walk(children, builder);
  builder.addInline(' ');
};

const SPACES_AND_INVISIBLE = /(?:[ \u00a0\u2007\u00ad\u200b-\u200f\u2060\ufeff]|\u034f){3,}/g;
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060\ufeff]|\u034f/g;
const MIN_FILLER_CHARACTERS = 3;

/**
 * Removes the characters with which designers fill a preheader, so that lists of messages show nothing after it. Scripts
 * need some of them, but never several in a row.
 */
function removeFiller(text: string): string {
  return text.replace(SPACES_AND_INVISIBLE, (run, at: number) => {
    if ((run.match(INVISIBLE)?.length ?? 0) < MIN_FILLER_CHARACTERS) return run;
    return at === 0 || text[at - 1] === '\n' ? '' : ' ';
  });
}

// The HTML of a template, with its placeholders.
serveJobs<{ readonly html: string }, string>(({ html }) => {
  const text = convert(html, {
    wordwrap: false,
    limits: { maxDepth: MAX_DEPTH },
    formatters: { image: formatImage, cell: formatCell },
    selectors: [
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['(', ')'] } },
      { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
      ...['td', 'th'].map((selector) => ({ selector, format: 'cell' })),
      ...HEADINGS.map((selector) => ({ selector, options: { uppercase: false } })),
      ...HIDDEN.map((selector) => ({ selector, format: 'skip' })),
    ],
  });
  return removeFiller(text)
    .replace(/(?<! ) +$/gm, '')
    .trim();
});
