// Runs in a thread of its own, because deeply nested HTML can take seconds.

import { serveJobs } from '@posthorn/threads';
import { convert, type DomNode, type FormatCallback } from 'html-to-text';
import { markHidden } from './mark-hidden.js';

const MAX_DEPTH = 100;

const HIDDEN = ['head', 'title', 'template', '[hidden]', '[aria-hidden="true"]'];

/** The library would join their texts to one word. */
const BLOCKS = [
  'dl',
  'dt',
  'dd',
  'figcaption',
  'caption',
  'legend',
  'fieldset',
  'address',
  'details',
  'summary',
  'center',
];

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];

/** Stands where a word must not be joined to the next one. No document has it, because it is not a character. */
const WORD_END = '\ufdd0';
const WORD_ENDS = new RegExp(`(?<=[^\\s${WORD_END}([{"'])${WORD_END}+(?=[\\p{L}\\p{N}\\p{So}{(])`, 'gu');

type Builder = Parameters<FormatCallback>[2];

const endWord = (builder: Builder) => builder.addInline(WORD_END, { noWordTransform: true });

function removeWordEnds(text: string): string {
  return text.replace(WORD_ENDS, ' ').replaceAll(WORD_END, '');
}

/** The address of a link, which HTML does not show, would be joined to what follows. */
const formatLink: FormatCallback = (element, walk, builder, options) => {
  builder.options.formatters?.anchor?.(element, walk, builder, options);
  endWord(builder);
};

/** The alternative text of an image is kept if the image is a link. */
const formatImage: FormatCallback = ({ attribs, parent }, _, builder) => {
  let around = parent as DomNode | null;
  while (around !== null && around.name !== 'a') around = around.parent as DomNode | null;
  if (around === null || !attribs?.alt) return;
  endWord(builder);
  builder.addInline(attribs.alt);
  endWord(builder);
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
  const text = convert(markHidden(html), {
    wordwrap: false,
    limits: { maxDepth: MAX_DEPTH },
    formatters: { image: formatImage, cell: formatCell, link: formatLink },
    selectors: [
      { selector: 'a', format: 'link', options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['(', ')'] } },
      ...['tr', ...BLOCKS].map((selector) => ({
        selector,
        format: 'block',
        options: { leadingLineBreaks: 1, trailingLineBreaks: 1 },
      })),
      ...['td', 'th'].map((selector) => ({ selector, format: 'cell' })),
      ...HEADINGS.map((selector) => ({ selector, options: { uppercase: false } })),
      ...HIDDEN.map((selector) => ({ selector, format: 'skip' })),
    ],
  });
  return removeFiller(removeWordEnds(text))
    .replace(/(?<! ) +$/gm, '')
    .trim();
});
