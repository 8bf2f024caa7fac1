import { Box, Group, type GroupProps, Paper, Stack, type StackProps, Text, Title } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, type Ref, useEffect, useId, useRef } from 'react';
import { Loaded, type LoadedProps } from './loaded';

/**
 * A page of the dashboard. After navigation, it moves the focus to the heading, for screen readers. On the first load,
 * the focus stays at the top, before the skip link.
 */
export function Page(props: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { history } = useRouter();
  useEffect(() => {
    const isNothingFocused = document.activeElement === null || document.activeElement === document.body;
    if (isNothingFocused && history.canGoBack()) heading.current?.focus();
  }, [history]);
  return <PageFrame {...props} windowTitle={`${props.title} · Posthorn`} headingRef={heading} />;
}

type PageProps = {
  readonly title: string;
  readonly description?: ReactNode;
  /** Buttons next to the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
};

/** A page whose title comes with its data. Until then, the title says what it is about. */
export function LoadedPage<Data>({ title, ...loaded }: LoadedProps<Data> & Pick<PageProps, 'title'>) {
  if (loaded.query.data !== undefined) return loaded.children(loaded.query.data);
  return (
    <Page title={title}>
      <Loaded {...loaded} />
    </Page>
  );
}

type PageFrameProps = PageProps & {
  readonly windowTitle: string;
  readonly headingRef?: Ref<HTMLHeadingElement>;
};

export function PageFrame({ title, windowTitle, description, actions, headingRef, children }: PageFrameProps) {
  useEffect(() => {
    document.title = windowTitle;
  }, [windowTitle]);
  return (
    <Box maw="var(--page-width)" mx="auto">
      <Heading actions={actions} mb="lg" gap="sm">
        <Title order={1} ref={headingRef} tabIndex={-1} className="breakable">
          {title}
        </Title>
        {description !== undefined && (
          <Text size="md" c="dimmed" mt={4} component="div" maw="46rem">
            {description}
          </Text>
        )}
      </Heading>
      <Stack gap="lg">{children}</Stack>
    </Box>
  );
}

/** A title and its description, with buttons beside them. */
function Heading({ actions, children, ...space }: GroupProps & { readonly actions: ReactNode }) {
  return (
    <Group justify="space-between" align="flex-start" {...space}>
      <Box flex="1 1 16rem" miw={0}>
        {children}
      </Box>
      {actions !== undefined && <Group gap="xs">{actions}</Group>}
    </Group>
  );
}

type SectionProps = PageProps & {
  /** The space between its children. Without it, they are not in a stack. */
  readonly gap?: StackProps['gap'];
};

export function Section({ title, description, actions, gap, children }: SectionProps) {
  const id = useId();
  return (
    <Paper component="section" aria-labelledby={id} withBorder p={{ base: 'md', sm: 'lg' }}>
      <Heading actions={actions} mb="md" gap="xs">
        <Title order={2} id={id}>
          {title}
        </Title>
        {description !== undefined && (
          <Text c="dimmed" mt={2} component="div">
            {description}
          </Text>
        )}
      </Heading>
      {gap === undefined ? children : <Stack gap={gap}>{children}</Stack>}
    </Paper>
  );
}

type EmptyStateProps = { readonly title: string; readonly text: ReactNode; readonly children?: ReactNode };

/** For an empty list: says what will appear here and what to do next. */
export function EmptyState({ title, text, children }: EmptyStateProps) {
  return (
    <Paper withBorder p="xl">
      <Stack align="center" gap="xs" ta="center" py="lg">
        <Title order={2}>{title}</Title>
        <Text size="md" c="dimmed" maw="32rem" component="div">
          {text}
        </Text>
        {children !== undefined && <div>{children}</div>}
      </Stack>
    </Paper>
  );
}
