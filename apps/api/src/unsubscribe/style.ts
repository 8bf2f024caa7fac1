import { hash } from 'node:crypto';

/** The style of the unsubscribe page. It is in the page, so that the page needs only one request. */
export const STYLE = `
:root { color-scheme: light dark; font: 100%/1.5 system-ui, sans-serif; }
body { margin: 0; padding: 1.5rem; }
main { max-width: 34rem; margin: 2rem auto; }
h1 { font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
p, li { overflow-wrap: anywhere; }
[role="status"] { padding: 0.75rem 1rem; border: 2px solid; border-radius: 0.375rem; }
ul { padding: 0; list-style: none; }
li, .all { padding: 1rem 0; border-top: 1px solid; }
form { margin: 0.5rem 0 0; }
button { min-height: 2.75rem; padding: 0.5rem 1.25rem; border: 2px solid; border-radius: 0.375rem; font: inherit; cursor: pointer; }
button:focus-visible { outline: 3px solid; outline-offset: 2px; }
`;

/** Allows this style and no other one (CSP Level 3, section 2.3.1). */
export const STYLE_SOURCE = `'sha256-${hash('sha256', STYLE, 'base64')}'`;
