import { Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

type Props = { readonly title: string; readonly text: ReactNode; readonly children?: ReactNode };

/** For an empty list: says what will appear here and what to do next. */
export function EmptyState({ title, text, children }: Props) {
  return (
    <Paper withBorder p="xl">
      <Stack align="center" gap="xs" ta="center" py="lg">
        <Title order={2}>{title}</Title>
        <Text c="dimmed" maw="32rem" component="div">
          {text}
        </Text>
        {children !== undefined && <div>{children}</div>}
      </Stack>
    </Paper>
  );
}
