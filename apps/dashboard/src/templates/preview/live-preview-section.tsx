import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { ApiError } from '../../api/request';
import { ProblemAlert } from '../../ui/problem-alert';
import { Section } from '../../ui/section';
import { PreviewPane } from './preview-pane';
import type { LivePreview } from './use-preview';

type Props = {
  readonly preview: LivePreview;
  /** Whether there is nothing to show yet. */
  readonly empty: boolean;
  readonly onExample: () => void;
};

/** The preview beside the editor; while a text is at fault, the last one that was not. */
export function LivePreviewSection({ preview: { shown, error }, empty, onExample }: Props) {
  return (
    <Section title="Preview">
      <Stack gap="sm">
        {error !== null && <Fault error={error} stale={shown !== null} />}
        {empty && <Begin onExample={onExample} />}
        {!empty && shown !== null && <PreviewPane preview={shown} />}
        {!empty && shown === null && error === null && <Skeleton height="36rem" />}
      </Stack>
    </Section>
  );
}

function Fault({ error, stale }: { readonly error: Error; readonly stale: boolean }) {
  return (
    <>
      <ProblemAlert error={error} />
      {stale && (
        <Text size="sm" c="dimmed">
          Below is the last preview{' '}
          {error instanceof ApiError && error.problem.errors ? 'without a fault' : 'that arrived'}.
        </Text>
      )}
    </>
  );
}

function Begin({ onExample }: { readonly onExample: () => void }) {
  return (
    <Stack align="flex-start" gap="sm">
      <Text size="sm">What you write appears here, with sample values for its variables.</Text>
      <Button variant="default" onClick={onExample}>
        Start from an example
      </Button>
    </Stack>
  );
}
