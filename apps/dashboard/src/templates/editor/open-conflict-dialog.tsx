import { Button, Group, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';

/** `theirs` discards the user's changes. `mine` saves them as the next version. null leaves the conflict unresolved. */
export type ConflictChoice = 'theirs' | 'mine' | null;

/** Asks what to do when another member or tab has saved the template since the editor was opened. */
export function openConflictDialog(version: number): Promise<ConflictChoice> {
  return new Promise((resolve) => {
    const choose = (choice: ConflictChoice) => {
      resolve(choice);
      modals.close(id);
    };
    const id = modals.open({
      title: 'The template has changed',
      onClose: () => resolve(null),
      children: (
        <Stack>
          <Text size="sm">
            Version {version} was saved while you were editing, in another tab or by another member. If you save anyway,
            your changes become the next version, and version {version} stays in the history. If you load version{' '}
            {version}, you lose your changes.
          </Text>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => choose('theirs')}>
              Load version {version}
            </Button>
            <Button onClick={() => choose('mine')}>Save anyway</Button>
          </Group>
        </Stack>
      ),
    });
  });
}
