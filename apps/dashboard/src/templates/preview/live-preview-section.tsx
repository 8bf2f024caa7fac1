import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { Section } from '../../ui/section';
import { PreviewError } from './preview-error';
import { PreviewPane } from './preview-pane';
import type { LivePreview } from './use-preview';

type Props = {
  readonly preview: LivePreview;
  /** Whether the template is still empty. */
  readonly empty: boolean;
  readonly onExample: () => void;
};

/** Keeps the last valid preview while the content has errors. */
export function LivePreviewSection({ preview: { shown, error }, empty, onExample }: Props) {
  return (
    <Section title="Preview">
      <Stack gap="sm">
        {error !== null && <PreviewError error={error} stale={shown !== null} />}
        {empty && <StartHint onExample={onExample} />}
        {!empty && shown !== null && <PreviewPane preview={shown} />}
        {!empty && shown === null && error === null && <Skeleton height="36rem" />}
      </Stack>
    </Section>
  );
}

function StartHint({ onExample }: { readonly onExample: () => void }) {
  return (
    <Stack align="flex-start" gap="sm">
      <Text size="sm">The preview appears here as you write, with sample values for the variables.</Text>
      <Button variant="default" onClick={onExample}>
        Start from an example
      </Button>
    </Stack>
  );
}
