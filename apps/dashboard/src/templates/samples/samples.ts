import { suggestSample } from './suggest-sample';

/** The values that somebody typed, by the names of variables. */
export type Samples = Readonly<Record<string, string>>;

/** What was typed, or else what the name suggests. */
export function sampleValue(samples: Samples, name: string): string {
  return Object.hasOwn(samples, name) ? String(samples[name]) : suggestSample(name);
}

/** The values of these variables, as a request has them; those that were left empty are missing. */
export function toTemplateVars(samples: Samples, names: readonly string[]): Record<string, string> {
  const values = names.map((name) => [name, sampleValue(samples, name)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== ''));
}
