type Sample = { readonly pattern: RegExp; readonly value: (name: string) => string };

/** The first match wins. */
const samples: readonly Sample[] = [
  { pattern: /\be ?mail\b/, value: () => 'ada@example.com' },
  { pattern: /\b(url|link|href)\b/, value: (name) => `https://example.com/${name.replaceAll(/\W|_/g, '-')}` },
  { pattern: /\b(first ?name|given name)\b/, value: () => 'Ada' },
  { pattern: /\b(last ?name|surname|family name)\b/, value: () => 'Lovelace' },
  { pattern: /\b(company|organisation|organization|workspace|team|shop|brand|product)\b/, value: () => 'Example Ltd' },
  { pattern: /\b(user ?name|name|recipient|customer|sender)\b/, value: () => 'Ada Lovelace' },
  { pattern: /\b(amount|price|total|sum|cost|balance)\b/, value: () => '24.00' },
  { pattern: /\bcurrency\b/, value: () => 'EUR' },
  { pattern: /\b(code|otp|pin|token)\b/, value: () => '482913' },
  { pattern: /\b(count|quantity|days|hours|minutes|items|seats)\b/, value: () => '3' },
  { pattern: /\byear\b/, value: () => String(new Date().getFullYear()) },
  { pattern: /\b(date|day|expires|due|deadline)\b/, value: () => new Date().toISOString().slice(0, 10) },
  { pattern: /\btime\b/, value: () => '14:30' },
  { pattern: /\b(id|number|no|order|invoice|reference)\b/, value: () => '1042' },
  { pattern: /\bphone\b/, value: () => '+44 20 7946 0018' },
  { pattern: /\b(city|town)\b/, value: () => 'London' },
  { pattern: /\bcountry\b/, value: () => 'United Kingdom' },
];

/** A plausible value for a variable, or the words of its name when nothing matches. */
export function suggestSample(name: string): string {
  const words = name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/[_.-]+/g, ' ')
    .trim()
    .toLowerCase();
  return samples.find(({ pattern }) => pattern.test(words))?.value(name) ?? words;
}
