import { Box, Group, Stack, Text, Title } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';

type Props = {
  readonly title: string;
  readonly description?: ReactNode;
  /** Buttons next to the heading. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
};

/**
 * A page with its title and actions. After navigation, it moves the focus to the heading, for screen readers. On the
 * first load, the focus stays at the top, before the skip link.
 */
export function Page({ title, description, actions, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { history } = useRouter();
  useEffect(() => {
    document.title = `${title} · Posthorn`;
  }, [title]);
  useEffect(() => {
    const isNothingFocused = document.activeElement === null || document.activeElement === document.body;
    if (isNothingFocused && history.canGoBack()) heading.current?.focus();
  }, [history]);
  return (
    <Box maw="var(--page-width)" mx="auto">
      <Group justify="space-between" align="flex-start" mb="lg" gap="sm">
        <Box flex="1 1 16rem" miw={0}>
          <Title order={1} ref={heading} tabIndex={-1} className="breakable">
            {title}
          </Title>
          {description !== undefined && (
            <Text c="dimmed" mt={4} component="div" maw="46rem">
              {description}
            </Text>
          )}
        </Box>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      <Stack gap="lg">{children}</Stack>
    </Box>
  );
}
