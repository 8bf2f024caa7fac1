import { SimpleGrid, Text, TextInput } from '@mantine/core';
import { useSessionStorage } from '@mantine/hooks';
import type { TemplateVariable } from '@posthorn/contract';
import { Section } from '../ui/page';

type SampleFieldsProps = {
  readonly names: readonly string[];
  readonly samples: Samples;
  readonly onChange: (name: string, value: string) => void;
  /** The API's messages by field, such as `template_vars.name`. */
  readonly errors: Readonly<Record<string, string>>;
};

export function SampleFields({ names, samples, onChange, errors }: SampleFieldsProps) {
  return (
    <Section
      title="Variables"
      description="Sample values for the preview and test emails, kept only in this tab. An empty field counts as missing."
    >
      {names.length === 0 ? (
        <Text>No variables yet. Add {'{{first_name}}'} to the content, and its field appears here.</Text>
      ) : (
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          {names.map((name) => (
            <TextInput
              key={name}
              label={name}
              className="breakable"
              value={getSample(samples, name)}
              onChange={(event) => onChange(name, event.currentTarget.value)}
              error={errors[`template_vars.${name}`]}
            />
          ))}
        </SimpleGrid>
      )}
    </Section>
  );
}

type SetSample = (name: string, value: string) => void;

const buildKey = (templateId: string) => `posthorn-samples-${templateId}`;

const noSamples: Samples = {};

/** Used instead of an ID for a template that was never saved. */
export const UNSAVED = 'new';

/** A template's sample values, kept until the tab closes or the user logs out. */
export function useSamples(templateId: string): readonly [Samples, SetSample] {
  const [samples, setSamples] = useSessionStorage<Samples>({
    key: buildKey(templateId),
    defaultValue: noSamples,
    getInitialValueInEffect: false,
    deserialize: readSamples,
  });
  return [samples, (name, value) => setSamples((current) => ({ ...current, [name]: value }))];
}

/** Moves the samples of a new template to its ID after the first save. */
export function moveSamples(templateId: string): void {
  const stored = sessionStorage.getItem(buildKey(UNSAVED));
  if (stored === null) return;
  sessionStorage.setItem(buildKey(templateId), stored);
  sessionStorage.removeItem(buildKey(UNSAVED));
}

/** Session storage may contain anything, so its content is checked. */
function readSamples(text: string | undefined): Samples {
  try {
    const stored: unknown = JSON.parse(text ?? '{}');
    return typeof stored === 'object' && stored !== null ? (stored as Samples) : noSamples;
  } catch {
    return noSamples;
  }
}

export type Samples = Readonly<Record<string, string>>;

/** The value that the user typed, or else a suggestion. */
export function getSample(samples: Samples, name: string): string {
  return Object.hasOwn(samples, name) ? String(samples[name]) : suggestSample(name);
}

export function getDeclaredSamples(variables: readonly TemplateVariable[]): Samples {
  return Object.fromEntries(variables.flatMap(({ name, sample }) => (sample === null ? [] : [[name, sample]])));
}

/** The `template_vars` of a request, without the variables that the user left empty. */
export function toTemplateVars(samples: Samples, names: readonly string[]): Record<string, string> {
  const values = names.map((name) => [name, getSample(samples, name)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== ''));
}

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
function suggestSample(name: string): string {
  const words = name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/[_.-]+/g, ' ')
    .trim()
    .toLowerCase();
  return samples.find(({ pattern }) => pattern.test(words))?.value(name) ?? words;
}
