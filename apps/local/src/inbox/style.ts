/** /inbox.css: works from 360 px up, in light and dark mode. */
export const style = `
:root {
  color-scheme: light dark;
  --text: #1c1f24; --muted: #545c68; --line: #dfe3e9; --page: #ffffff; --shade: #f3f5f8; --link: #0b57c2;
}
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e8ec; --muted: #a3abb8; --line: #31363f; --page: #14161a; --shade: #1d2127; --link: #8ab8ff; }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 64rem; padding: 1.5rem 1.25rem 2rem;
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  color: var(--text); background: var(--page);
}
h1 { margin: 0; font-size: 1.5rem; line-height: 1.3; overflow-wrap: anywhere; }
h2 { margin: 1.5rem 0 0.25rem; font-size: 1rem; }
a { color: var(--link); }
:focus-visible, input:focus-visible + label { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 3px; }
code, pre, .headers { font: 0.875rem/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
ol, ul, dl { margin: 0; padding: 0; list-style: none; }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.unseen, [type="radio"] {
  position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}

header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1rem; margin-bottom: 1rem; }
header p, footer { margin: 0; color: var(--muted); font-size: 0.875rem; }
footer { margin-top: 2rem; }
#empty:not(:empty) { padding: 2.5rem 1.5rem; border-radius: 8px; background: var(--shade); }
#empty h2 { margin-top: 0; font-size: 1.25rem; }
#empty p { max-width: 46rem; margin: 0.5rem 0 0; }
#pages { display: flex; gap: 1.5rem; padding-top: 1rem; }

#messages li { position: relative; }
#messages li:first-child { border-top: 1px solid var(--line); }
#messages a {
  display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 1.5rem; padding: 0.625rem 0.75rem;
  border-bottom: 1px solid var(--line); color: inherit; text-decoration: none;
}
#messages a:hover { background: var(--shade); }
#messages a:focus-visible { outline-offset: -3px; }
.words, .people { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.unread .subject { font-weight: 650; }
.unread a { box-shadow: inset 3px 0 var(--link); }
.snippet, .people, .when, .files span { color: var(--muted); }
.snippet { padding-left: 0.5rem; }
.people, .when, .facts, .files { font-size: 0.875rem; }
.people { grid-row: 2; }
.when { grid-row: 1; grid-column: 2; align-self: baseline; text-align: right; font-variant-numeric: tabular-nums; }
.files-count { grid-row: 2; grid-column: 2; }

.message h1 { margin: 0.5rem 0 1rem; }
.facts div, .headers div { display: grid; grid-template-columns: 6rem minmax(0, 1fr); gap: 0 1rem; }
dt { color: var(--muted); }
.files { display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; margin: 1rem 0; overflow-wrap: anywhere; }

fieldset { position: relative; display: flex; gap: 1.5rem; margin: 0 0 1rem; padding: 0; border: 0; border-bottom: 1px solid var(--line); }
label { padding: 0.5rem 0; color: var(--muted); cursor: pointer; }
label:hover { color: var(--text); }
:checked + label { color: var(--text); font-weight: 600; box-shadow: inset 0 -2px var(--link); }
.views:has(#view-html:checked) section:not(.html),
.views:has(#view-text:checked) section:not(.text),
.views:has(#view-headers:checked) section:not(.headers) { display: none; }
iframe {
  display: block; width: 100%; height: clamp(24rem, 65vh, 60rem); resize: vertical;
  border: 1px solid var(--line); border-radius: 6px; background: #ffffff; color-scheme: light;
}
pre { margin: 0; white-space: pre-wrap; }
.links { font-size: 0.875rem; overflow-wrap: anywhere; }
.headers div { grid-template-columns: minmax(8rem, 14rem) minmax(0, 1fr); padding: 0.125rem 0; }

@media (max-width: 40rem) {
  body { padding: 1rem 0.75rem 2rem; }
  .words, .people {
    display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2;
    white-space: normal; overflow-wrap: anywhere;
  }
  #messages a { column-gap: 0.75rem; }
  .snippet { display: none; }
  .facts div { grid-template-columns: 4.5rem minmax(0, 1fr); }
  .headers div { grid-template-columns: minmax(0, 1fr); padding: 0.25rem 0; }
}
`.trimStart();
