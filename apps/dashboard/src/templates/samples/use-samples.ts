import { useSessionStorage } from '@mantine/hooks';
import type { Samples } from './samples';

type SetSample = (name: string, value: string) => void;

const keyOf = (templateId: string) => `posthorn-samples-${templateId}`;

const noSamples: Samples = {};

/** In place of an id, for a template that has noSamples yet. */
export const UNSAVED = 'new';

/** The values that a template is tried with, stored for as long as this tab is open and its person logged in. */
export function useSamples(templateId: string): readonly [Samples, SetSample] {
  const [samples, setSamples] = useSessionStorage<Samples>({
    key: keyOf(templateId),
    defaultValue: noSamples,
    getInitialValueInEffect: false,
    deserialize: readSamples,
  });
  return [samples, (name, value) => setSamples((current) => ({ ...current, [name]: value }))];
}

/** Gives a template that was just created the values it was tried with. */
export function moveSamples(templateId: string): void {
  const stored = sessionStorage.getItem(keyOf(UNSAVED));
  if (stored === null) return;
  sessionStorage.setItem(keyOf(templateId), stored);
  sessionStorage.removeItem(keyOf(UNSAVED));
}

/** Somebody may have put anything there. */
function readSamples(text: string | undefined): Samples {
  try {
    const stored: unknown = JSON.parse(text ?? '{}');
    return typeof stored === 'object' && stored !== null ? (stored as Samples) : noSamples;
  } catch {
    return noSamples;
  }
}
