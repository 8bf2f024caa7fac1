import { Button, Container, Group } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { ProblemAlert } from '../ui/problem-alert';

/** Instead of a page that could not be shown: of a newer release, perhaps, whose files are gone. */
export function BrokenPage({ error }: ErrorComponentProps) {
  return (
    <Container component="main" py="xl">
      <ProblemAlert error={error instanceof Error ? error : new Error(String(error))} />
      <Group mt="md">
        <Button onClick={() => location.reload()}>Load the page again</Button>
      </Group>
    </Container>
  );
}
