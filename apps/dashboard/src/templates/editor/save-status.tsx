import { Text } from '@mantine/core';

type Props = { readonly changed: boolean; readonly version: number | null };

/** Shows whether the content is saved. Screen readers announce changes. */
export function SaveStatus({ changed, version }: Props) {
  const saved = version === null ? '' : `Saved as version ${version}`;
  return (
    <Text size="sm" c="dimmed" role="status">
      {changed ? 'Unsaved changes' : saved}
    </Text>
  );
}
