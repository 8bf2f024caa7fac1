import type { Answer } from '../route.js';

export type LinkPage = {
  readonly title: string;
  /** How long the link works: `an hour` */
  readonly life: string;
  readonly url: string;
  /** JSON that the token goes into. */
  readonly body: string;
  readonly afterwards: string;
};

/**
 * Where a mailed link leads as long as no dashboard serves that path: it says how to use the token,
 * which is in the page's own address and is not repeated in it.
 */
export function linkPage({ title, life, url, body, afterwards }: LinkPage): Answer {
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<main>
<h1>${title}</h1>
<p>The token is what stands behind <code>token=</code> in the address of this page. It works once, for ${life}:</p>
<pre><code>curl ${url} -H 'Content-Type: application/json' -d '${body}'</code></pre>
<p>${afterwards}</p>
</main>
</body>
</html>
`;
  return { status: 200, body: page, headers: { 'Content-Type': 'text/html; charset=utf-8' } };
}
