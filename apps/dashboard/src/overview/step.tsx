import { Badge, Box, Group, Text, ThemeIcon, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { IconCheck } from '../ui/icons';

type Props = {
  readonly title: string;
  readonly isDone: boolean;
  readonly isOptional?: boolean;
  /** Instructions, hidden once the step is done. */
  readonly children: ReactNode;
};

export function Step({ title, isDone, isOptional = false, children }: Props) {
  return (
    <Group component="li" align="flex-start" gap="sm" wrap="nowrap">
      <ThemeIcon size={24} radius="xl" variant={isDone ? 'filled' : 'default'} color="green.9" aria-hidden>
        {isDone && <IconCheck size={14} />}
      </ThemeIcon>
      <Box flex={1} miw={0}>
        <Group gap="xs" mb={isDone ? 0 : 4}>
          <Text fw={600} {...(isDone && { c: 'dimmed' })}>
            {title}
            <VisuallyHidden>{isDone ? ' (done)' : ' (to do)'}</VisuallyHidden>
          </Text>
          {isOptional && (
            <Badge variant="default" tt="none" fw={500}>
              Optional
            </Badge>
          )}
        </Group>
        {!isDone && children}
      </Box>
    </Group>
  );
}
