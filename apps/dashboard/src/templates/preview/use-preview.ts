import { useDebouncedValue } from '@mantine/hooks';
import type { TextsPreview } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { ApiError } from '../../api/request';
import type { Samples } from '../samples/samples';
import type { TemplateContent } from '../template-content';
import { previewContent } from './preview-content';

const DEBOUNCE_MS = 300;

export type LivePreview = {
  /** The last preview without errors; null if there has been none yet. */
  readonly shown: TextsPreview | null;
  readonly error: Error | null;
  /** The API's messages by field. */
  readonly fieldErrors: Readonly<Record<string, string>>;
};

/** A preview that follows the user's typing with a short delay. */
export function usePreview(values: TemplateContent, samples: Samples, savedVariables: readonly string[]): LivePreview {
  const { subject, html_body, text_body } = values;
  const current = useMemo(
    () => ({ content: { subject, html_body, text_body }, samples }),
    [subject, html_body, text_body, samples],
  );
  const [debounced] = useDebouncedValue(current, DEBOUNCE_MS);
  const [shown, setShown] = useState<TextsPreview | null>(null);
  const { data, error } = useQuery({
    queryKey: ['template-preview', debounced],
    queryFn: () => previewContent(debounced.content, debounced.samples, shown?.variables ?? savedVariables),
    staleTime: Number.POSITIVE_INFINITY,
    // Each pause in typing would add a cache entry with the whole content, so nothing is cached.
    gcTime: 0,
  });
  if (data !== undefined && data !== shown) setShown(data);
  return { shown, error, fieldErrors: errorsByField(error) };
}

function errorsByField(error: Error | null): Record<string, string> {
  const fieldErrors = error instanceof ApiError ? (error.problem.errors ?? []) : [];
  return Object.fromEntries(fieldErrors.map(({ field, message }) => [field, message]));
}
