/** /docs/style.css: readable at any width from 360 px, in light and dark mode. */
export const style = `
:root {
  color-scheme: light dark;
  --text: #1c1f24; --muted: #545c68; --line: #d5d9e0; --page: #ffffff; --code: #f2f4f7; --link: #0b57c2; --mark: #fff3c4;
}
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e8ec; --muted: #a3abb8; --line: #3a404a; --page: #14161a; --code: #20242b; --link: #8ab8ff; --mark: #4a3f12; }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0 auto; max-width: 76rem; padding: 1rem;
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  color: var(--text); background: var(--page);
}
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0.5rem 0 1rem; }
h2 { font-size: 1.3rem; line-height: 1.3; margin: 2.5rem 0 0.75rem; }
p, main section > ul { max-width: 46rem; }
a { color: var(--link); }
a:focus-visible, [tabindex]:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 1rem; padding: 0.5rem; background: var(--page); }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; margin: 0; padding: 0; list-style: none; }
code { font: 0.9em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
p code, li code, td code { padding: 0.1em 0.3em; border-radius: 3px; background: var(--code); }
pre { padding: 1rem; overflow-x: auto; border-radius: 6px; background: var(--code); }
pre code { overflow-wrap: normal; }
.table { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: 0.95rem; }
th, td { padding: 0.5rem 0.75rem 0.5rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { color: var(--muted); font-weight: 600; white-space: nowrap; }
td:nth-child(-n + 2) code { white-space: nowrap; }
@media (max-width: 40rem) {
  thead { display: none; }
  tbody tr { display: block; padding: 0.5rem 0; border-bottom: 1px solid var(--line); }
  td { display: block; padding: 0.1rem 0; border: 0; }
}
tr:target { background: var(--mark); }
@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 13rem minmax(0, 1fr); column-gap: 2rem; }
  header { grid-column: 1 / -1; }
  nav { position: sticky; top: 1rem; align-self: start; }
  nav ul { display: block; }
  main section:first-child h2 { margin-top: 0; }
}
`.trimStart();
