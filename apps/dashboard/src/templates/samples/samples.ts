import type { TemplateVariable } from '@posthorn/contract';
import { suggestSample } from './suggest-sample';

/** The values that the user typed, by variable name. */
export type Samples = Readonly<Record<string, string>>;

/** The value that the user typed, or else a suggestion. */
export function sampleValue(samples: Samples, name: string): string {
  return Object.hasOwn(samples, name) ? String(samples[name]) : suggestSample(name);
}

/** The samples that are saved with the template. */
export function declaredSamples(variables: readonly TemplateVariable[]): Samples {
  return Object.fromEntries(variables.flatMap(({ name, sample }) => (sample === null ? [] : [[name, sample]])));
}

/** The `template_vars` of a request, without the variables that the user left empty. */
export function toTemplateVars(samples: Samples, names: readonly string[]): Record<string, string> {
  const values = names.map((name) => [name, sampleValue(samples, name)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== ''));
}
