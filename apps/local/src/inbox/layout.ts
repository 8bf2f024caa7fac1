import { type Html, html } from './html.js';

/** A complete page. Only the message list has a script, and the list also works without it. */
export function layout(title: string, main: Html, script: Html = { markup: '' }): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:image/svg+xml,${envelopeIcon}">
<link rel="stylesheet" href="/inbox.css">
${script}
</head>
<body>
${main}
</body>
</html>
`;
}

const envelopeIcon = encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect y="2" width="16" height="12" rx="2" fill="#0b57c2"/><path d="m2 5 6 4 6-4" fill="none" stroke="#fff" stroke-width="1.5"/></svg>',
);
