import { Box, Button, Container, Group, Skeleton } from '@mantine/core';
import { type ErrorComponentProps, useMatch, useRouter } from '@tanstack/react-router';
import { type ComponentType, useEffect } from 'react';
import { ApiError } from '../api/request';
import { ButtonLink } from '../ui/links';
import { ProblemAlert } from '../ui/loaded';
import { EmptyState } from '../ui/page';
import {
  ComposeSkeleton,
  DomainSkeleton,
  EmailSkeleton,
  FormSkeleton,
  OverviewSkeleton,
  TableSkeleton,
  UsageSkeleton,
} from '../ui/skeletons';

/** The shapes of the pages that are neither a list nor a form. */
const shapes: Readonly<Record<string, ComponentType>> = {
  '/app-layout/': OverviewSkeleton,
  '/app-layout/emails/new': ComposeSkeleton,
  '/app-layout/emails/$id': EmailSkeleton,
  '/app-layout/domains/$id': DomainSkeleton,
  '/app-layout/usage': UsageSkeleton,
};

/** Shown while a page's code or data is still loading, in the shape of that page. */
export function LoadingPage() {
  const id: string = useMatch({ strict: false, shouldThrow: false, select: ({ routeId }) => routeId }) ?? '';
  const Shape = shapes[id];
  return (
    <Box maw="var(--page-width)" mx="auto" aria-busy="true">
      <Skeleton height={32} width="40%" />
      <Skeleton height={18} width="60%" mt={10} mb="lg" />
      {Shape ? <Shape /> : <LoadingContent isForm={id.startsWith('/auth-layout/')} />}
    </Box>
  );
}

function LoadingContent({ isForm }: { readonly isForm: boolean }) {
  return isForm ? <FormSkeleton fields={2} /> : <TableSkeleton rows={8} />;
}

const RETRY_MS = 5_000;

/** Replaces a page that failed to load. After an API error it retries, so the page appears once the server is back. */
export function ErrorPage({ error }: ErrorComponentProps) {
  const pages = useRouter();
  useEffect(() => {
    if (!(error instanceof ApiError)) return;
    const timer = setTimeout(() => pages.invalidate(), RETRY_MS);
    return () => clearTimeout(timer);
  }, [error, pages]);
  return (
    <Container component="main" py="xl">
      <ProblemAlert error={error instanceof Error ? error : new Error(String(error))} />
      <Group mt="md">
        <Button onClick={() => location.reload()}>Reload page</Button>
      </Group>
    </Container>
  );
}

export function NotFoundPage() {
  return (
    <Container component="main" py="xl">
      <EmptyState title="Page not found" text="The address may be wrong, or the page no longer exists.">
        <ButtonLink to="/">Go to overview</ButtonLink>
      </EmptyState>
    </Container>
  );
}
