import { sampleFor } from './sample-for';

/** The values that somebody typed, by the names of variables. */
export type Samples = Readonly<Record<string, string>>;

/** What was typed, or else what the name suggests. */
export function sampleOf(samples: Samples, name: string): string {
  return Object.hasOwn(samples, name) ? String(samples[name]) : sampleFor(name);
}

/** The values of these variables, as a request has them; those that were left empty are missing. */
export function varsOf(samples: Samples, names: readonly string[]): Record<string, string> {
  const values = names.map((name) => [name, sampleOf(samples, name)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== ''));
}
