import { codeStyle } from './code-style.js';
import { formStyle } from './form-style.js';

/** The colors of the dashboard, in light and dark mode. */
const base = `
:root {
  color-scheme: light dark;
  --text: light-dark(#1c1f24, #d7dade); --muted: light-dark(#545c68, #a6abb1);
  --page: light-dark(#fbfbfc, #16181d); --surface: light-dark(#ffffff, #1d2026); --code: light-dark(#f1f3f6, #22262d);
  --line: light-dark(#dde1e7, #363b44); --link: light-dark(#32539f, #94aadb); --mark: light-dark(#fff3c4, #4a3f12);
  --primary: light-dark(#32539f, #3f63b5); --danger: light-dark(#c02626, #cf3434);
  --good: light-dark(#1f6b2d, #7fd28f); --bad: light-dark(#c02626, #ff8787);
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace;
}
:root[data-color-scheme=light] { color-scheme: light; }
:root[data-color-scheme=dark] { color-scheme: dark; }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0; padding: 0 1rem 4rem;
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif;
  color: var(--text); background: var(--page);
}
h1 { font-size: 1.6rem; font-weight: 650; line-height: 1.25; margin: 1.5rem 0 1rem; }
h2 { font-size: 1.25rem; font-weight: 650; line-height: 1.3; margin: 0 0 0.75rem; }
h3 { font-size: 1rem; font-weight: 650; margin: 1.5rem 0 0.5rem; }
main > section { padding: 2rem 0 1rem; border-top: 1px solid var(--line); }
main > section:first-of-type { border: 0; padding-top: 0; }
main > section:not(.operation) > :is(.code, .samples) { max-width: 46rem; }
p, main section > ul { max-width: 46rem; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 0.5rem; z-index: 2; padding: 0.5rem 1rem; background: var(--surface); }
.for-screen-readers, legend {
  position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}
header {
  display: flex; justify-content: space-between; align-items: center; gap: 1rem;
  margin: 0 -1rem; padding: 0.75rem 1rem; border-bottom: 1px solid var(--line); background: var(--surface);
}
.logo { display: flex; align-items: center; gap: 0.5rem; color: inherit; font-weight: 700; font-size: 1.1rem; text-decoration: none; }
.logo span { color: var(--muted); font-weight: 400; }
`;

const navigation = `
nav { padding-top: 1rem; font-size: 0.9rem; }
nav details > p { margin: 1.25rem 0 0.25rem; color: var(--muted); font-weight: 600; font-size: 0.8rem; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav ul ul { margin: 0.125rem 0 0.5rem 0.6rem; border-left: 1px solid var(--line); }
nav li a { display: block; padding: 0.2rem 0.6rem; border-radius: 6px; color: inherit; text-decoration: none; }
nav li a:hover { background: var(--code); }
nav a[aria-current] { background: light-dark(#eef3ff, #222d4a); color: light-dark(#28458a, #b9c8e8); font-weight: 600; }
nav summary { cursor: pointer; padding: 0.5rem 0; font-weight: 600; }
.search { position: relative; }
.search p { margin: 0.25rem 0; color: var(--muted); font-size: 0.8rem; }
.search li span { display: block; color: var(--muted); font-size: 0.8rem; overflow-wrap: anywhere; }
.search ul:not(:empty) { margin-bottom: 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--surface); }
@media (min-width: 64rem) {
  .page { display: grid; grid-template-columns: 16rem minmax(0, 1fr); column-gap: 2.5rem; max-width: 100rem; margin: 0 auto; }
  nav {
    position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto;
    margin-left: -0.25rem; padding: 1rem 0.25rem 2rem;
  }
  nav summary { display: none; }
}
`;

const tables = `
.table { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: 0.925rem; }
th, td { padding: 0.5rem 0.75rem 0.5rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { color: var(--muted); font-weight: 600; white-space: nowrap; }
td:nth-child(-n + 2) code { white-space: nowrap; }
.fields td:nth-child(2) code { white-space: normal; }
.fields tr > :first-child { width: 14rem; }
.type { display: block; color: var(--muted); font-size: 0.85rem; }
.required { color: var(--bad); }
.limits { display: block; color: var(--muted); font-size: 0.85rem; }
tr:target { background: var(--mark); }
@media (max-width: 40rem) {
  thead { display: none; }
  tbody tr { display: block; padding: 0.5rem 0; border-bottom: 1px solid var(--line); }
  td { display: block; padding: 0.1rem 0; border: 0; }
}
`;

/** /docs/style.css: readable at any width from 360 px, in light and dark mode. */
export const style = [base, navigation, tables, codeStyle, formStyle].join('').trimStart();
