import { escapeHtml } from '@posthorn/domain/templates';

export type Page = {
  /** The path at which it is served. */
  readonly path: string;
  readonly title: string;
  readonly content: string;
};

export type NavigationGroup = { readonly title: string; readonly links: readonly NavigationLink[] };

/** `inner` is shown only on the page itself. */
export type NavigationLink = {
  readonly title: string;
  readonly url: string;
  readonly inner?: ReadonlyArray<{ readonly title: string; readonly url: string }>;
};

const PRODUCT = 'Posthorn API';

/** A whole page. Its scripts and styles come from this server, and its text can be read without them. */
export function layout({ path, title, content }: Page, navigation: readonly NavigationGroup[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title === PRODUCT ? title : `${title} - ${PRODUCT}`)}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/style.css">
<script src="/docs/scripts/color-scheme.js"></script>
<script type="module" src="/docs/scripts/main.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header><a class="logo" href="/docs"><img src="/favicon.svg" alt="" width="26" height="26">Posthorn <span>API</span></a><a href="/">Dashboard</a></header>
<div class="page">
<nav aria-label="Documentation">
<div class="search" hidden><label>Search<input type="search" placeholder="Press / to search" autocomplete="off" spellcheck="false"></label><p role="status"></p><ul></ul></div>
<details open><summary>Contents</summary>
${navigation.map((group) => groupToHtml(group, path)).join('\n')}
</details>
</nav>
<main id="main">
<h1>${escapeHtml(title)}</h1>
${content}
</main>
</div>
</body>
</html>
`;
}

function groupToHtml({ title, links }: NavigationGroup, path: string): string {
  return `<p>${escapeHtml(title)}</p>\n<ul>\n${links.map((link) => linkToHtml(link, path)).join('\n')}\n</ul>`;
}

function linkToHtml({ title, url, inner = [] }: NavigationLink, path: string): string {
  const isCurrent = url === path;
  const below =
    isCurrent && inner.length > 0 ? `\n<ul>\n${inner.map((link) => linkToHtml(link, path)).join('\n')}\n</ul>` : '';
  return `<li><a href="${url}"${isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a>${below}</li>`;
}
