import { invalid } from '@posthorn/domain';

/**
 * RFC 8259, 4 leaves the meaning of duplicate names open. JSON.parse keeps the last one, so a second "to" would
 * silently replace the first.
 * @param text valid JSON that has a duplicate name
 * @returns a refusal that names the first duplicate
 */
export function duplicateNameRefusal(text: string) {
  return invalid({ field: firstDuplicate(text), message: 'appears twice in the same object; send it once' });
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

/** `names` is null for an array, whose items are counted in `index`. */
type Level = { readonly path: string; readonly names: Set<string> | null; name: string; index: number };

function firstDuplicate(text: string): string {
  const levels: Level[] = [];
  let last = '';
  for (const [token] of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (token === ':' && level?.names && isDuplicate(level, level.names, JSON.parse(last))) return pathOf(level);
    move(levels, token);
    last = token;
  }
  return '';
}

function isDuplicate(level: Level, names: Set<string>, name: string): boolean {
  level.name = name;
  return names.size === names.add(name).size;
}

function move(levels: Level[], token: string): void {
  const level = levels.at(-1);
  const path = level ? pathOf(level) : '';
  if (token === '{') levels.push({ path, names: new Set(), name: '', index: 0 });
  if (token === '[') levels.push({ path, names: null, name: '', index: 0 });
  if (token === '}' || token === ']') levels.pop();
  if (token === ',' && level) level.index += 1;
}

function pathOf({ path, names, name, index }: Level): string {
  if (names === null) return `${path}[${index}]`;
  return path === '' ? name : `${path}.${name}`;
}
