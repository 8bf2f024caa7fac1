import { invalid } from '@posthorn/domain';

/**
 * RFC 8259, 4: what an object with two members of one name means is anybody's guess. JSON.parse keeps
 * the last, so a second "to" would silently take the place of the first.
 * @param text as JSON.parse took it
 * @returns the refusal that names the first repeated member; called only where the text is known to have one
 */
export function refuseRepeatedName(text: string) {
  return invalid({ field: firstRepeated(text), message: 'is given twice in the same object; give it once' });
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

/** `names` is null in an array, where `index` counts. */
type Level = { readonly path: string; readonly names: Set<string> | null; name: string; index: number };

function firstRepeated(text: string): string {
  const levels: Level[] = [];
  let last = '';
  for (const [token] of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (token === ':' && level?.names && isRepeated(level, level.names, JSON.parse(last))) return pathOf(level);
    move(levels, token);
    last = token;
  }
  return '';
}

function isRepeated(level: Level, names: Set<string>, name: string): boolean {
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
