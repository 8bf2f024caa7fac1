import { useDebouncedValue } from '@mantine/hooks';
import type { TextsPreview } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { ApiError } from '../../api/request';
import type { Samples } from '../samples/samples';
import type { Texts } from '../template-texts';
import { previewTexts } from './preview-texts';

const PAUSE_MS = 300;

export type LivePreview = {
  /** The last one without a fault; null before the first. */
  readonly shown: TextsPreview | null;
  readonly error: Error | null;
  /** What the API says of each field. */
  readonly faults: Readonly<Record<string, string>>;
};

/** The preview of texts while they are typed, some moments behind. */
export function usePreview(values: Texts, samples: Samples, savedVariables: readonly string[]): LivePreview {
  const { subject, html_body, text_body } = values;
  const now = useMemo(
    () => ({ texts: { subject, html_body, text_body }, samples }),
    [subject, html_body, text_body, samples],
  );
  const [typed] = useDebouncedValue(now, PAUSE_MS);
  const [shown, setShown] = useState<TextsPreview | null>(null);
  const { data, error } = useQuery({
    queryKey: ['template-preview', typed],
    queryFn: () => previewTexts(typed.texts, typed.samples, shown?.variables ?? savedVariables),
    staleTime: Number.POSITIVE_INFINITY,
    // One entry for every pause in typing, and each holds the whole texts
    gcTime: 0,
  });
  if (data !== undefined && data !== shown) setShown(data);
  return { shown, error, faults: faultsOf(error) };
}

function faultsOf(error: Error | null): Record<string, string> {
  const faults = error instanceof ApiError ? (error.problem.errors ?? []) : [];
  return Object.fromEntries(faults.map(({ field, message }) => [field, message]));
}
