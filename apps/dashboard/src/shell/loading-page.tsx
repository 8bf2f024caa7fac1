import { Box, Skeleton } from '@mantine/core';
import { useMatch } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { DomainSkeleton } from '../domains/domain-skeleton';
import { ComposeSkeleton } from '../emails/compose/compose-skeleton';
import { EmailSkeleton } from '../emails/email-skeleton';
import { OverviewSkeleton } from '../overview/overview-skeleton';
import { FormSkeleton } from '../ui/form-skeleton';
import { TableSkeleton } from '../ui/table-skeleton';
import { UsageSkeleton } from '../usage/usage-skeleton';

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
