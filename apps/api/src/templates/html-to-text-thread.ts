// Runs in a thread of its own, because deeply nested HTML can take seconds.

import { serveJobs } from '@posthorn/threads';
import { convert, type DomNode, type FormatCallback } from 'html-to-text';

const MAX_DEPTH = 100;

const isZero = (value: string) => /^(?:0+\.?|0*\.0+)(?:%|[a-z]+)?$/.test(value);

/**
 * What hides an element from readers, such as the preheader that only lists of messages show. `font-size:0` is not here,
 * because layouts set it around text with a size of its own, nor is `mso-hide:all`, which hides from Outlook alone.
 */
const HIDING = new Map<string, (value: string) => boolean>([
  ['display', (value) => value === 'none'],
  ['visibility', (value) => value === 'hidden'],
  ['max-height', isZero],
  ['max-width', isZero],
  ['opacity', isZero],
]);

const START_TAG = /<[a-z](?:[^<>"']|"[^"]*"|'[^']*')*/gi;
const STYLE = /\sstyle\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i;

/** Marks elements as hidden whose style hides them, because selectors cannot read the declarations of a style. */
function markHidden(html: string): string {
  return html.replace(START_TAG, (tag) =>
    tag.replace(STYLE, (attribute, double = '', single = '', bare = '') =>
      isHiding(double + single + bare) ? ' hidden' : attribute,
    ),
  );
}

function isHiding(style: string): boolean {
  // Of several declarations of a property, the last one counts.
  const declarations = new Map(
    style.split(';').map((declaration) => {
      const [name = '', value = ''] = declaration.toLowerCase().split(':');
      return [name.trim(), value.replace(/!\s*important/, '').trim()] as const;
    }),
  );
  return [...declarations].some(([name, value]) => HIDING.get(name)?.(value));
}

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
  const text = convert(markHidden(html), {
    wordwrap: false,
    limits: { maxDepth: MAX_DEPTH },
    formatters: { image: formatImage, cell: formatCell },
    selectors: [
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['(', ')'] } },
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
  return removeFiller(text)
    .replace(/(?<! ) +$/gm, '')
    .trim();
});
