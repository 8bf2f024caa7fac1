const HEADERS = [
  'X-Request-Id',
  'Idempotent-Replayed',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Allow',
];

/** The reader's API key. It exists only in this variable and in this page's fields. */
let key = '';

/** Shows the forms that send requests. */
export function startTryIt() {
  for (const panel of document.querySelectorAll('.try')) {
    const [form, answer] = [panel.querySelector('form'), panel.querySelector('.answer')];
    if (!(panel instanceof HTMLDetailsElement) || !form || !(answer instanceof HTMLElement)) continue;
    panel.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void send(panel, form, answer);
    });
  }
  for (const field of keyFields()) {
    field.addEventListener('input', () => {
      key = field.value.trim();
      for (const other of keyFields()) if (other !== field) other.value = field.value;
    });
  }
}

function keyFields() {
  return /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll('.try input[name=key]'));
}

/**
 * @param {HTMLDetailsElement} panel
 * @param {HTMLFormElement} form
 * @param {HTMLElement} answer
 */
async function send(panel, form, answer) {
  const { method = 'GET', credential, confirmation } = panel.dataset;
  if (confirmation !== undefined && !(await confirmSending(confirmation, method === 'DELETE'))) return;
  const button = form.querySelector('button');
  button?.setAttribute('disabled', '');
  const startedAt = performance.now();
  try {
    const fields = new FormData(form);
    const response = await fetch(buildUrl(panel.dataset.path ?? '', fields), {
      method,
      headers: buildHeaders(form, credential),
      ...(fields.has('body') && { body: String(fields.get('body')) }),
      // Only a call that needs a session gets the dashboard's cookie.
      credentials: credential === 'session' ? 'same-origin' : 'omit',
    });
    showAnswer(answer, response, await response.text(), performance.now() - startedAt);
  } catch (error) {
    showFailure(answer, error);
  } finally {
    button?.removeAttribute('disabled');
  }
}

/**
 * @param {string} path
 * @param {FormData} fields
 */
function buildUrl(path, fields) {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(fields.get(`path.${name}`))));
  const query = new URLSearchParams();
  for (const [name, value] of filledIn(fields, 'query.')) query.append(name, value);
  return query.size === 0 ? filled : `${filled}?${query}`;
}

/**
 * @param {HTMLFormElement} form
 * @param {string | undefined} credential
 */
function buildHeaders(form, credential) {
  const headers = new Headers();
  const type = form.querySelector('textarea')?.dataset.type;
  if (credential === 'key') headers.set('Authorization', `Bearer ${key}`);
  if (type !== undefined) headers.set('Content-Type', type);
  for (const [name, value] of filledIn(new FormData(form), 'header.')) headers.set(name, value);
  return headers;
}

/**
 * The non-empty fields whose names start with the prefix, without the prefix.
 * @param {FormData} fields
 * @param {string} prefix
 */
function* filledIn(fields, prefix) {
  for (const [name, value] of fields) {
    if (name.startsWith(prefix) && value !== '') yield/** @type {const} */ ([name.slice(prefix.length), String(value)]);
  }
}

/**
 * @param {HTMLElement} place
 * @param {Response} response
 * @param {string} text
 * @param {number} ms
 */
function showAnswer(place, response, text, ms) {
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
function showFailure(place, error) {
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

/**
 * Asks for confirmation before a request is sent.
 * @param {string} text
 * @param {boolean} isDangerous
 * @returns {Promise<boolean>} whether to send it
 */
function confirmSending(text, isDangerous) {
  const dialog = document.createElement('dialog');
  const [question, buttons] = [document.createElement('p'), document.createElement('form')];
  question.textContent = text;
  buttons.method = 'dialog';
  buttons.append(button('Cancel', ''), button('Send request', isDangerous ? 'danger' : 'primary'));
  dialog.setAttribute('aria-label', 'Send this request?');
  dialog.append(question, buttons);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'Send request');
    });
  });
}

/**
 * @param {string} label
 * @param {string} look
 */
function button(label, look) {
  const element = document.createElement('button');
  element.value = label;
  element.textContent = label;
  element.className = look;
  return element;
}
