import { writeJson } from '@posthorn/code-samples';
import { escapeHtml } from '@posthorn/domain/templates';
import type { Content, Operation, Parameter } from '../operations.js';

const KEY_HINT = 'The key stays on this page. It is not stored, and it is gone when you leave or reload the page.';
const SESSION_HINT = 'This call needs a session: log in to the dashboard in this browser first.';

/** Account operations take passwords and tokens from emailed links. They belong in the dashboard. */
function canTry({ credential, method, success }: Operation): boolean {
  const isReadable = success.type === null || /^(application\/json|text\/plain|message\/rfc822)$/.test(success.type);
  return isReadable && (credential !== 'none' || method === 'GET');
}

/**
 * A form that sends the request from the reader's browser. It is hidden until the script has started, because the
 * browser itself must not submit it.
 */
export function tryIt(operation: Operation): string {
  if (!canTry(operation)) return '';
  const { id, method, path, credential, parameters, body, summary } = operation;
  const confirmation = confirmationOf(operation);
  return `<details class="try" hidden data-method="${method}" data-path="${path}" data-credential="${credential}"${confirmation && ` data-confirmation="${confirmation}"`}>
<summary>Try it<span class="for-screen-readers">: ${escapeHtml(summary)}</span></summary>
<form>
${credential === 'key' ? keyField(id) : ''}${credential === 'session' ? `<p class="hint">${SESSION_HINT}</p>` : ''}
${parameters.map(parameterField).join('\n')}
${body ? bodyField(body) : ''}
<button type="submit">Send request</button>
</form>
<div class="answer" role="status"></div>
</details>`;
}

/** What to ask before sending; empty if the change is easy to undo. */
function confirmationOf({ method, credential, parameters }: Operation): string {
  if (parameters.some(({ in: place }) => place === 'header'))
    return 'This sends real email from your workspace, and it counts against your caps.';
  if (method === 'DELETE') return 'This cannot be undone.';
  return credential === 'session' && method !== 'GET' ? 'This changes your account or your workspace.' : '';
}

function keyField(id: string): string {
  return `<label>API key<input type="password" name="key" autocomplete="off" spellcheck="false" aria-describedby="key-${id}"></label>
<p class="hint" id="key-${id}">${KEY_HINT} <a href="/api-keys">Create a key</a></p>`;
}

function parameterField({ name, in: place, required, description = '' }: Parameter): string {
  const hint = description && ` <span class="hint">${escapeHtml(description.replaceAll('`', ''))}</span>`;
  return `<label><code>${name}</code>${hint}<input name="${place}.${name}" autocomplete="off" spellcheck="false"${required ? ' required' : ''}></label>`;
}

function bodyField({ type, example }: Content): string {
  const text = typeof example === 'string' ? example : writeJson(example);
  return `<label>Body<textarea name="body" data-type="${type}" rows="${Math.min(text.split('\n').length + 1, 16)}" spellcheck="false">${escapeHtml(text)}</textarea></label>`;
}
