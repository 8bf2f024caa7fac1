import { endOfString } from './end-of-string.js';

const MAX_PARSED_CHARACTERS = 1_000;

/** `names` is null for an array, whose items are counted in `index`. */
type Level = { readonly path: string; readonly names: Set<string> | null; name: string; index: number };

/**
 * RFC 8259 (section 4) leaves the meaning of duplicate names open. JSON.parse keeps the last one, so a second "to"
 * would silently replace the first.
 * @param text valid JSON that has a duplicate name
 * @returns the path of the first duplicate
 */
export function firstDuplicateName(text: string): string {
  const levels: Level[] = [];
  let last = '';
  for (let at = 0; at < text.length; at += 1) {
    const token = text.charAt(at);
    const level = levels.at(-1);
    if (token === '"') {
      const end = endOfString(text, at);
      // Only a name can be a duplicate. The text of a value is skipped, because it can be as long as the body.
      last = text.slice(at, end + 1);
      at = end;
    } else if (token === ':' && level?.names) {
      if (isDuplicate(level, level.names, last)) return pathOf(level);
    } else move(levels, token);
  }
  return '';
}

/** @param text the name in quotes */
function isDuplicate(level: Level, names: Set<string>, text: string): boolean {
  // Parsing a name that is megabytes long takes time, and the response shows only its beginning.
  level.name = text.length > MAX_PARSED_CHARACTERS ? text : JSON.parse(text);
  return names.size === names.add(level.name).size;
}

function move(levels: Level[], token: string): void {
  const level = levels.at(-1);
  if (token === '{') levels.push({ path: level ? pathOf(level) : '', names: new Set(), name: '', index: 0 });
  if (token === '[') levels.push({ path: level ? pathOf(level) : '', names: null, name: '', index: 0 });
  if (token === '}' || token === ']') levels.pop();
  if (token === ',' && level) level.index += 1;
}

function pathOf({ path, names, name, index }: Level): string {
  if (names === null) return `${path}[${index}]`;
  return path === '' ? name : `${path}.${name}`;
}
