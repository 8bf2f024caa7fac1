const LABEL_MS = 2_000;

/** Gives every block of code a button that copies it. */
export function addCopyButtons() {
  for (const block of document.querySelectorAll('.code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', () => void copy(block, button));
    block.append(button);
  }
}

/**
 * @param {Element} block
 * @param {HTMLButtonElement} button
 */
async function copy(block, button) {
  const code = block.querySelector('code');
  if (!code) return;
  button.textContent = (await write(code)) ? 'Copied' : 'Press Ctrl+C';
  setTimeout(() => {
    button.textContent = 'Copy';
  }, LABEL_MS);
}

/**
 * Browsers offer their clipboard to pages over https and on localhost. Elsewhere, the text is selected and copied the
 * old way.
 * @param {Element} code
 */
async function write(code) {
  try {
    await navigator.clipboard.writeText(code.textContent ?? '');
    return true;
  } catch {
    getSelection()?.selectAllChildren(code);
    return document.execCommand('copy');
  }
}
