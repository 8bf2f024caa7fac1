import { Alert, Button, Skeleton, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { TextsPreview } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { ApiError } from '../api/request';
import { ProblemAlert } from '../ui/loaded';
import { Section } from '../ui/page';
import { PreviewPane } from './preview-pane';
import type { Samples } from './samples';
import { previewContent, type TemplateContent } from './template-content';

type LivePreviewSectionProps = {
  readonly preview: LivePreview;
  readonly empty: boolean;
  readonly onExample: () => void;
};

/** Keeps the last valid preview while the content has errors. */
export function LivePreviewSection({ preview: { shown, error }, empty, onExample }: LivePreviewSectionProps) {
  return (
    <Section title="Preview" gap="sm">
      {error !== null && <PreviewError error={error} stale={shown !== null} />}
      {empty && <StartHint onExample={onExample} />}
      {!empty && shown !== null && <PreviewPane preview={shown} />}
      {!empty && shown === null && error === null && <Skeleton height="36rem" />}
    </Section>
  );
}

function StartHint({ onExample }: { readonly onExample: () => void }) {
  return (
    <Stack align="flex-start" gap="sm">
      <Text>The preview appears here as you write, with sample values for the variables.</Text>
      <Button variant="default" onClick={onExample}>
        Start from an example
      </Button>
    </Stack>
  );
}

type PreviewErrorProps = {
  readonly error: Error;
  /** Whether an older preview is shown below. */
  readonly stale: boolean;
};

const labels: Readonly<Record<string, string>> = { subject: 'Subject', html_body: 'HTML', text_body: 'Text' };

/** Errors in the content. They are yellow, because the user may still be typing. */
function PreviewError({ error, stale }: PreviewErrorProps) {
  const errors = error instanceof ApiError ? error.problem.errors : undefined;
  if (errors === undefined) return <ProblemAlert error={error} />;
  return (
    <Alert role="status" color="yellow" className="breakable">
      {errors.map(({ field, message }) => (
        <Text key={field}>
          <b>{labels[field] ?? field}</b>: {message}
        </Text>
      ))}
      {stale && <Text>The preview below is the last one without errors.</Text>}
    </Alert>
  );
}

const DEBOUNCE_MS = 300;

type LivePreview = {
  /** The last preview without errors; null if there has been none yet. */
  readonly shown: TextsPreview | null;
  readonly error: Error | null;
  readonly fieldErrors: Readonly<Record<string, string>>;
};

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
  return { shown, error, fieldErrors: groupByField(error) };
}

function groupByField(error: Error | null): Record<string, string> {
  const fieldErrors = error instanceof ApiError ? (error.problem.errors ?? []) : [];
  return Object.fromEntries(fieldErrors.map(({ field, message }) => [field, message]));
}
