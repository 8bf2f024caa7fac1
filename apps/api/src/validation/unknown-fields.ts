/** What a name stands for: a field of a body, or a parameter of a query string. */
export type NameKind = 'field' | 'query parameter';

/** @param known the names that are allowed here; empty to suggest none */
export function describeUnknownField(name: string, known: readonly KnownName[], kind: NameKind): string {
  const matches = closestNames(name, known);
  if (matches.length === 0) return `is not a known ${kind}; remove it or check its spelling`;
  return `is not a known ${kind}. Did you mean ${matches.join(' or ')}?`;
}

/** With more edits than this, a suggestion would be a guess. Short names allow fewer edits. */
const MAX_EDITS = 2;

/** Known names are much shorter, and comparing long names takes time. */
const MAX_NAME_CHARACTERS = 64;

/** A field, and what other services call it. */
export type KnownName = { readonly name: string; readonly aliases: readonly string[] };

/**
 * The fields that were most likely meant: `from` -> `from_`, `templateId` -> `template_id`, `html_body` -> `html`.
 * @returns several if they share an alias, such as `body`; none if no name is close
 */
function closestNames(name: string, known: readonly KnownName[]): string[] {
  if (name.length > MAX_NAME_CHARACTERS) return [];
  const isSame = (candidate: string) => normalize(candidate) === normalize(name);
  const same = known.filter(({ name: own, aliases }) => isSame(own) || aliases.some(isSame));
  if (same.length > 0) return same.map((field) => field.name);
  const ranked = known
    .map((field) => ({ candidate: field.name, edits: editDistance(name, field.name) }))
    .sort((a, b) => a.edits - b.edits);
  const [best] = ranked;
  const limit = Math.min(MAX_EDITS, Math.floor(name.length / 3));
  return best && best.edits <= limit ? [best.candidate] : [];
}

function normalize(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** The Levenshtein distance, computed one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
