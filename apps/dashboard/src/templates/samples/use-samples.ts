import { useSessionStorage } from '@mantine/hooks';
import type { Samples } from './samples';

type SetSample = (name: string, value: string) => void;

const keyOf = (templateId: string) => `posthorn-samples-${templateId}`;

const noSamples: Samples = {};

/** Used instead of an ID for a template that was never saved. */
export const UNSAVED = 'new';

/** A template's sample values, kept until the tab closes or the user logs out. */
export function useSamples(templateId: string): readonly [Samples, SetSample] {
  const [samples, setSamples] = useSessionStorage<Samples>({
    key: keyOf(templateId),
    defaultValue: noSamples,
    getInitialValueInEffect: false,
    deserialize: readSamples,
  });
  return [samples, (name, value) => setSamples((current) => ({ ...current, [name]: value }))];
}

/** Moves the samples of a new template to its ID after the first save. */
export function moveSamples(templateId: string): void {
  const stored = sessionStorage.getItem(keyOf(UNSAVED));
  if (stored === null) return;
  sessionStorage.setItem(keyOf(templateId), stored);
  sessionStorage.removeItem(keyOf(UNSAVED));
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
