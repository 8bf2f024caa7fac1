type Sample = { readonly of: RegExp; readonly value: (name: string) => string };

/** The first match wins. */
const samples: readonly Sample[] = [
  { of: /\be ?mail\b/, value: () => 'ada@example.com' },
  { of: /\b(url|link|href)\b/, value: (name) => `https://example.com/${name.replaceAll(/\W|_/g, '-')}` },
  { of: /\b(first ?name|given name)\b/, value: () => 'Ada' },
  { of: /\b(last ?name|surname|family name)\b/, value: () => 'Lovelace' },
  { of: /\b(company|organisation|organization|workspace|team|shop|brand|product)\b/, value: () => 'Example Ltd' },
  { of: /\b(user ?name|name|recipient|customer|sender)\b/, value: () => 'Ada Lovelace' },
  { of: /\b(amount|price|total|sum|cost|balance)\b/, value: () => '24.00' },
  { of: /\bcurrency\b/, value: () => 'EUR' },
  { of: /\b(code|otp|pin|token)\b/, value: () => '482913' },
  { of: /\b(count|quantity|days|hours|minutes|items|seats)\b/, value: () => '3' },
  { of: /\byear\b/, value: () => String(new Date().getFullYear()) },
  { of: /\b(date|day|expires|due|deadline)\b/, value: () => new Date().toISOString().slice(0, 10) },
  { of: /\btime\b/, value: () => '14:30' },
  { of: /\b(id|number|no|order|invoice|reference)\b/, value: () => '1042' },
  { of: /\bphone\b/, value: () => '+44 20 7946 0018' },
  { of: /\b(city|town)\b/, value: () => 'London' },
  { of: /\bcountry\b/, value: () => 'United Kingdom' },
];

/** A plausible value for a variable, or the words of its name when nothing matches. */
export function suggestSample(name: string): string {
  const words = name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/[_.-]+/g, ' ')
    .trim()
    .toLowerCase();
  return samples.find(({ of }) => of.test(words))?.value(name) ?? words;
}
