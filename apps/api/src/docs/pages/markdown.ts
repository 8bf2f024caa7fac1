import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type SampleLanguage,
  type SampleRequest,
  sampleLanguageNames,
  sampleLanguages,
  writeCodeSample,
} from '@posthorn/code-samples';
import { escapeHtml } from '@posthorn/domain/templates';
import { Marked, type Tokens } from 'marked';
import { EXAMPLE_URL } from '../routes.js';

export type Section = { readonly id: string; readonly title: string; readonly html: string };

/** A file of docs/api. `intro` is what comes before the first section. */
export type Article = { readonly title: string; readonly intro: string; readonly sections: readonly Section[] };

/** The link to the description of an operation such as `POST /api/v1/emails`; undefined for other code. */
export type Linker = (code: string) => string | undefined;

export const DOCS = join(import.meta.dirname, '../../../../../docs/api');

const ANCHOR = /^<a id="([\w-]+)"><\/a>/;

/** Renders a Markdown file whose sections begin with `<a id>` and a heading of the second level. */
export function parseArticle(text: string, linkTo: Linker): Article {
  const [head = '', ...parts] = text.split(/^<a id="([\w-]+)"><\/a>\n\n## (.+)\n/m);
  const [, title = '', intro = ''] = /^# (.+)\n([\s\S]*)$/.exec(head) ?? [];
  const render = (id: string, body: string) => createMarked(linkTo, id).parse(body, { async: false });
  const sections: Section[] = [];
  for (let index = 0; index < parts.length; index += 3) {
    const [id = '', heading = '', body = ''] = parts.slice(index);
    sections.push({ id, title: heading, html: render(id, body) });
  }
  return { title, intro: render('main', intro), sections };
}

/** Renders a line of Markdown, such as the description of a field. */
export function createInlineRenderer(linkTo: Linker): (text: string) => string {
  const marked = createMarked(linkTo, '');
  return (text) => marked.parseInline(text, { async: false });
}

/** @param section the id of the section, which labels its tables */
function createMarked(linkTo: Linker, section: string): Marked {
  let groups = 0;
  const nextGroup = () => `${section}-${++groups}`;
  return new Marked({
    renderer: {
      code: ({ text, lang }) => {
        if (lang !== 'http') return renderCodeBlock(text);
        const request = parseRequest(text);
        return renderCodeSamples((language) => writeCodeSample(language, request), nextGroup());
      },
      codespan({ text }) {
        const [url, code] = [linkTo(text), `<code>${escapeHtml(text)}</code>`];
        return url === undefined ? code : `<a href="${url}">${code}</a>`;
      },
      link({ href, tokens, text }) {
        // An address in the text is no link.
        return href.startsWith('mailto:')
          ? escapeHtml(text)
          : `<a href="${toUrl(href)}">${this.parser.parseInline(tokens)}</a>`;
      },
      list(token) {
        const files = listReceivers(token);
        return files
          ? renderCodeSamples((language) => readReceiver(files[language]), nextGroup(), receiverNames)
          : false;
      },
      table({ header, rows: body }) {
        const render = ({ tokens }: Tokens.TableCell) => this.parser.parseInline(tokens);
        const lines = body.map((cells) => {
          const [, id] = ANCHOR.exec(cells[0]?.text ?? '') ?? [];
          const html = cells.map((cell) => `<td>${render(cell).replace(ANCHOR, '')}</td>`).join('');
          return `<tr${id === undefined ? '' : ` id="${id}"`}>${html}</tr>`;
        });
        return renderTable(`aria-labelledby="heading-${section}"`, header.map(render), lines);
      },
    },
  });
}

/** A table that is wider than the screen scrolls on its own; tabindex lets the keyboard scroll it. */
export function renderTable(label: string, head: readonly string[], rows: readonly string[], className = ''): string {
  return `<div class="table" role="region" ${label} tabindex="0"><table${className && ` class="${className}"`}>
<thead><tr>${head.map((cell) => `<th scope="col">${cell}</th>`).join('')}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table></div>\n`;
}

/** Code that scrolls on its own. The script adds a copy button. */
export function renderCodeBlock(code: string): string {
  return `<div class="code"><pre tabindex="0"><code>${escapeHtml(code)}</code></pre></div>\n`;
}

/**
 * The same code in every language, one of them visible. The style sheet shows the sample of the checked language, so
 * choosing one needs no script.
 * @param group unique on its page
 */
export function renderCodeSamples(
  codeIn: (language: SampleLanguage) => string,
  group: string,
  names: Readonly<Record<SampleLanguage, string>> = sampleLanguageNames,
): string {
  const choices = sampleLanguages.map(
    (language, index) =>
      `<label><input type="radio" name="language-${group}" value="${language}"${index === 0 ? ' checked' : ''}>${names[language]}</label>`,
  );
  const samples = sampleLanguages.map(
    (language) => `<div data-language="${language}">${renderCodeBlock(codeIn(language))}</div>`,
  );
  return `<div class="samples">
<fieldset class="languages"><legend>Language</legend>${choices.join('')}</fieldset>
${samples.join('\n')}
</div>\n`;
}

/** A block of `http`: the request line, headers, an empty line and JSON. */
function parseRequest(text: string): SampleRequest {
  const [head = '', body] = text.split('\n\n');
  const [line = '', ...lines] = head.split('\n');
  const [method, path] = line.split(' ');
  const { Authorization: _, ...headers } = Object.fromEntries(lines.map((each) => each.split(': ')));
  return {
    method: method as SampleRequest['method'],
    url: `${EXAMPLE_URL}${path}`,
    credential: 'key',
    headers,
    ...(body !== undefined && { body: JSON.parse(body) }),
    response: 'json',
  };
}

const receiverNames = { ...sampleLanguageNames, curl: 'Shell' };

/** The files of a list that has only links to code that verifies webhooks; null for any other list. */
function listReceivers({ items }: Tokens.List): Record<SampleLanguage, string> | null {
  const links = items.map(({ text }) => /^\[([\w.]+)\]\((verify-webhook\/[\w.]+)\)$/.exec(text));
  if (!links.every((link) => link !== null)) return null;
  const files = new Map(links.map(([, name = '', file = '']) => [name, file]));
  const entries = sampleLanguages.map((language) => [language, files.get(receiverNames[language]) ?? '']);
  return Object.fromEntries(entries);
}

function readReceiver(file: string): string {
  return readFileSync(join(DOCS, file), 'utf8').trimEnd();
}

/** Files of docs/api are served as pages: those for users of another service on their own, the others as one. */
function toUrl(href: string): string {
  const [, file, anchor = ''] = /^([\w-]*)(?:\.md)?(#[\w-]+)?$/.exec(href) ?? [];
  if (file === undefined) return href;
  return file.startsWith('coming-from-') ? `/docs/guides/${file}${anchor}` : `/docs${anchor}`;
}
