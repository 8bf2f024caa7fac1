/** @typedef {{ title: string, url: string, kind: string, text: string }} Entry */

const MAX_RESULTS = 12;

/** Shows the search field. The index is loaded when the reader first uses it. */
export function startSearch() {
  const box = document.querySelector('.search');
  const input = box?.querySelector('input');
  const [status, list] = [box?.querySelector('p'), box?.querySelector('ul')];
  if (!(box instanceof HTMLElement) || !input || !status || !list) return;
  box.hidden = false;
  /** @type {Promise<Entry[]> | undefined} */
  let loading;
  const load = () => {
    loading ??= fetch('/docs/search.json').then((response) => response.json());
    return loading;
  };
  const show = async () => {
    const query = input.value.trim();
    const found = query === '' ? [] : find(await load(), query);
    // The reader may have typed more while the index was loading.
    if (input.value.trim() !== query) return;
    status.textContent = query === '' ? '' : describe(found.length);
    list.replaceChildren(...found.slice(0, MAX_RESULTS).map(toItem));
  };
  input.addEventListener('focus', () => void load());
  input.addEventListener('input', () => void show());
  input.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') list.querySelector('a')?.click();
  });
  list.addEventListener('click', () => {
    input.value = '';
    void show();
  });
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || isTyping(event.target)) return;
    event.preventDefault();
    input.focus();
  });
}

/** @param {EventTarget | null} target */
function isTyping(target) {
  return target instanceof Element && target.closest('input, textarea, select') !== null;
}

/** @param {number} count */
function describe(count) {
  if (count === 0) return 'Nothing found';
  return count === 1 ? '1 result' : `${count} results`;
}

/**
 * The entries that contain every word, those with the words in their title first.
 * @param {Entry[]} entries
 * @param {string} query
 */
function find(entries, query) {
  const words = query.toLowerCase().split(/\s+/);
  return entries
    .map((entry) => ({ entry, score: getScore(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ entry }) => entry);
}

/**
 * @param {Entry} entry
 * @param {string[]} words
 */
function getScore({ title, kind, text }, words) {
  const places = [title, kind, text].map((each) => each.toLowerCase());
  let score = 0;
  for (const word of words) {
    const index = places.findIndex((place) => place.includes(word));
    if (index < 0) return 0;
    score += places.length - index;
  }
  return score;
}

/** @param {Entry} entry */
function toItem({ title, url, kind }) {
  const [item, link, note] = [
    document.createElement('li'),
    document.createElement('a'),
    document.createElement('span'),
  ];
  link.href = url;
  link.textContent = title;
  note.textContent = kind;
  link.append(note);
  item.append(link);
  return item;
}
