import { Alert, Button, Group, Text } from '@mantine/core';
import type { Template } from '@posthorn/contract';

type Props = {
  readonly stored: Template | null;
  /** The version being edited. */
  readonly base: Template | null;
  readonly onLoad: (template: Template) => void;
};

/** Warns when another member or tab has saved a newer version. */
export function NewerVersion({ stored, base, onLoad }: Props) {
  if (stored === null || base === null || stored.version <= base.version) return null;
  return (
    <Alert role="status" color="yellow" variant="light" title={`Version ${stored.version} was saved elsewhere`}>
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          You are editing version {base.version}. Loading the newer version discards your unsaved changes.
        </Text>
        <Button variant="default" size="xs" onClick={() => onLoad(stored)}>
          Load version {stored.version}
        </Button>
      </Group>
    </Alert>
  );
}
