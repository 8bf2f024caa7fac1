import { useLocalStorage } from '@mantine/hooks';
import type { Samples } from './samples';

type SetSample = (name: string, value: string) => void;

const keyOf = (templateId: string) => `posthorn-samples-${templateId}`;

const none: Samples = {};

/** In place of an id, for a template that has none yet. */
export const UNSAVED = 'new';

/** The values that a template is tried with, kept in this browser. */
export function useSamples(templateId: string): readonly [Samples, SetSample] {
  const [samples, keep] = useLocalStorage<Samples>({
    key: keyOf(templateId),
    defaultValue: none,
    getInitialValueInEffect: false,
    deserialize: readSamples,
  });
  return [samples, (name, value) => keep((now) => ({ ...now, [name]: value }))];
}

/** Gives a template that was just created the values it was tried with. */
export function moveSamples(templateId: string): void {
  const kept = localStorage.getItem(keyOf(UNSAVED));
  if (kept === null) return;
  localStorage.setItem(keyOf(templateId), kept);
  localStorage.removeItem(keyOf(UNSAVED));
}

/** Somebody may have put anything there. */
function readSamples(text: string | undefined): Samples {
  try {
    const kept: unknown = JSON.parse(text ?? '{}');
    return typeof kept === 'object' && kept !== null ? (kept as Samples) : none;
  } catch {
    return none;
  }
}
