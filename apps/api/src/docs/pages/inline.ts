import { escapeHtml } from '@posthorn/domain/templates';

/** The link to the description of an operation such as `POST /api/v1/emails`; undefined for other code. */
export type Linker = (code: string) => string | undefined;

/** Text with `code` and [links](#section) as HTML. Code that names an operation links to its description. */
export function inline(text: string, linkTo: Linker = () => undefined): string {
  return escapeHtml(text)
    .replace(/`([^`]+)`/g, (_, code) => {
      const url = linkTo(code);
      return url === undefined ? `<code>${code}</code>` : `<a href="${url}"><code>${code}</code></a>`;
    })
    .replace(/\[([^\]]+)\]\(([^)]+)\)/g, (_, label, target) => `<a href="${addressOf(target)}">${label}</a>`);
}

/** Files of docs/ are served as pages. */
function addressOf(target: string): string {
  const [, name] = /^([\w-]+)\.md$/.exec(target) ?? [];
  return name === undefined ? target : `/docs/guides/${name}`;
}
