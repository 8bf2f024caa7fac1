/** Code, and the columns of an operation. */
export const codeStyle = `
code { font: 0.9em var(--mono); overflow-wrap: anywhere; }
p code, li code, td code, label code { padding: 0.1em 0.3em; border-radius: 4px; background: var(--code); }
a code { color: inherit; }
pre {
  margin: 0; padding: 0.9rem 1rem; overflow: auto; max-height: 32rem; border-radius: 8px;
  border: 1px solid var(--line); background: var(--code); font: 0.85rem/1.55 var(--mono);
}
pre code { font: inherit; overflow-wrap: normal; }
.code { position: relative; margin: 0.5rem 0 1rem; }
.copy { position: absolute; top: 0.45rem; right: 0.45rem; }
.samples { margin-bottom: 1rem; }
.languages { display: flex; flex-wrap: wrap; gap: 0.25rem; margin: 0; padding: 0; border: 0; min-width: 0; }
.languages label { position: relative; padding: 0.2rem 0.7rem; border-radius: 6px; font-size: 0.875rem; cursor: pointer; }
.languages label:hover { background: var(--code); }
.languages label:has(:checked) { background: light-dark(#dce4f5, #28344f); color: light-dark(#1b3773, #dce4f5); font-weight: 600; }
.languages label:has(:focus-visible) { outline: 2px solid var(--link); outline-offset: 2px; }
.languages input { position: absolute; inset: 0; margin: 0; opacity: 0; cursor: pointer; }
.samples > [data-language] { display: none; }
${['curl', 'node', 'python', 'php', 'go']
  .map((language) => `.samples:has([value=${language}]:checked) > [data-language=${language}]`)
  .join(',\n')} { display: block; }
.endpoint { display: flex; gap: 0.5rem; align-items: baseline; margin: 0 0 0.25rem; }
.endpoint code { font-size: 1rem; }
.method { padding: 0.1rem 0.5rem; border-radius: 5px; font: 600 0.8rem var(--mono); color: #ffffff; background: var(--primary); }
.method.get { background: #1f6b2d; }
.method.patch { background: #7d4600; }
.method.delete { background: #ad1f1f; }
.access { margin: 0 0 1rem; color: var(--muted); font-size: 0.925rem; }
.anchor { color: inherit; text-decoration: none; }
.anchor:hover { text-decoration: underline; }
.response-status { margin: 0.5rem 0; }
.operation details { margin-top: 1rem; }
.operation summary { cursor: pointer; font-weight: 600; }
.errors { padding-left: 1.2rem; }
@media (min-width: 80rem) {
  .columns { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); column-gap: 2.5rem; }
  .code-column { position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow-y: auto; }
}
`;
