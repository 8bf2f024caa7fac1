// Runs in a thread of its own, because deeply nested HTML can take seconds.

import { serveJobs } from '@posthorn/threads';
import { convert } from 'html-to-text';

const MAX_DEPTH = 100;

// The HTML of a template, with its placeholders.
serveJobs<{ readonly html: string }, string>(({ html }) =>
  convert(html, {
    wordwrap: false,
    limits: { maxDepth: MAX_DEPTH },
    selectors: [
      { selector: 'img', format: 'skip' },
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['(', ')'] } },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    ],
  }),
);
