const STORED = 'posthorn-docs-language';

/** Choosing a language once chooses it for every sample, on every page. */
export function syncLanguages() {
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
