const HEADERS = [
  'X-Request-Id',
  'Idempotent-Replayed',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Allow',
];

/**
 * @param {HTMLElement} place
 * @param {Response} response
 * @param {string} text
 * @param {number} ms
 */
export function showAnswer(place, response, text, ms) {
  const { ok, status, statusText, headers } = response;
  const lines = HEADERS.filter((name) => headers.has(name)).map((name) => `${name}: ${headers.get(name)}`);
  place.replaceChildren(
    paragraph(`${status} ${statusText} in ${Math.round(ms)} ms`, ok ? 'succeeded' : 'failed'),
    code(lines.join('\n'), 'Response headers'),
    ...(text === '' ? [] : [code(pretty(text), 'Response body')]),
  );
}

/**
 * @param {HTMLElement} place
 * @param {unknown} error
 */
export function showFailure(place, error) {
  place.replaceChildren(paragraph(`The request failed: ${error instanceof Error ? error.message : error}`, 'failed'));
}

/** @param {string} text */
function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/**
 * @param {string} text
 * @param {string} look
 */
function paragraph(text, look) {
  const element = document.createElement('p');
  element.className = look;
  element.textContent = text;
  return element;
}

/**
 * @param {string} text
 * @param {string} label
 */
function code(text, label) {
  const element = document.createElement('pre');
  element.tabIndex = 0;
  element.setAttribute('role', 'region');
  element.setAttribute('aria-label', label);
  element.textContent = text;
  return element;
}
