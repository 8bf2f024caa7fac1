import { startSearch } from './search.js';
import { startTryIt } from './try-it.js';

const LABEL_MS = 2_000;
const STORED = 'posthorn-docs-language';

// The pages can be read without these scripts.
addCopyButtons();
collapseContents();
startSearch();
startTryIt();
// Last, because the browser may not allow the storage that it uses.
syncLanguages();

/** Gives every block of code a button that copies it. */
function addCopyButtons() {
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

/** Closes the table of contents where it would push the text off the screen. */
function collapseContents() {
  const contents = document.querySelector('nav details');
  if (!(contents instanceof HTMLDetailsElement)) return;
  const wide = matchMedia('(min-width: 64rem)');
  const adapt = () => {
    contents.open = wide.matches;
  };
  adapt();
  wide.addEventListener('change', adapt);
}

/** Choosing a language once chooses it for every sample, on every page. */
function syncLanguages() {
  const inputs = [...document.querySelectorAll('.languages input')].filter((each) => each instanceof HTMLInputElement);
  /** @param {string | null} language */
  const choose = (language) => {
    for (const input of inputs) if (input.value === language) input.checked = true;
  };
  choose(localStorage.getItem(STORED));
  for (const input of inputs) {
    input.addEventListener('change', () => {
      const before = input.getBoundingClientRect().top;
      localStorage.setItem(STORED, input.value);
      choose(input.value);
      // The samples above may have become shorter or longer. This keeps the reader in the same place.
      scrollBy(0, input.getBoundingClientRect().top - before);
    });
  }
}
