import type { Tag } from '@posthorn/contract';

type Line = { readonly name: string; readonly value: string };

/** Reads lines of the form `name:value`. A line without a colon has an empty value. */
function readLines(text: string): Line[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const colon = line.includes(':') ? line.indexOf(':') : line.length;
      return { name: line.slice(0, colon).trim(), value: line.slice(colon + 1).trim() };
    });
}

/** @returns what is wrong with the lines, which the request could not express; the API checks the rest */
export function checkLines(text: string): string | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const unclear = lines.find((line) => !line.includes(':'));
  if (unclear !== undefined) return `Put a colon between the name and the value of “${unclear.trim()}”.`;
  const names = readLines(text).map(({ name }) => name.toLowerCase());
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  return repeated === undefined ? null : `Only one line can have the name “${repeated}”.`;
}

export function readTags(text: string): Tag[] {
  return readLines(text);
}

export function readHeaders(text: string): Record<string, string> {
  return Object.fromEntries(readLines(text).map(({ name, value }) => [name, value]));
}

export function writeTags(tags: readonly Tag[]): string {
  return tags.map(({ name, value }) => `${name}:${value}`).join('\n');
}

export function writeHeaders(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}
