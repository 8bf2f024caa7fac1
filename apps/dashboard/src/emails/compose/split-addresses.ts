/**
 * Splits what the user typed at line breaks, semicolons and commas. A comma before the `@` or between quotes is part of
 * a name, as in `Doe, Jane <jane@example.com>`.
 */
export function splitAddresses(text: string): string[] {
  return text
    .split(/[\n;]/)
    .flatMap(splitAtCommas)
    .map((address) => address.trim())
    .filter((address) => address !== '');
}

function splitAtCommas(line: string): string[] {
  const addresses: string[] = [];
  let address = '';
  let isQuoted = false;
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted;
    const isEnd = character === ',' && !isQuoted && (address.includes('@') || address.trim() === '');
    if (isEnd) addresses.push(address);
    address = isEnd ? '' : address + character;
  }
  return [...addresses, address];
}
