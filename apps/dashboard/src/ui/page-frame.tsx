import { Box, Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, type Ref, useEffect } from 'react';

export type PageFrameProps = {
  readonly title: string;
  readonly description?: ReactNode;
  /** Buttons next to the heading. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
};

type Props = PageFrameProps & {
  /** The title of the browser's window. */
  readonly windowTitle: string;
  readonly headingRef?: Ref<HTMLHeadingElement>;
};

/** The layout of a page: heading, description and actions above its content. */
export function PageFrame({ title, windowTitle, description, actions, headingRef, children }: Props) {
  useEffect(() => {
    document.title = windowTitle;
  }, [windowTitle]);
  return (
    <Box maw="var(--page-width)" mx="auto">
      <Group justify="space-between" align="flex-start" mb="lg" gap="sm">
        <Box flex="1 1 16rem" miw={0}>
          <Title order={1} ref={headingRef} tabIndex={-1} className="breakable">
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
