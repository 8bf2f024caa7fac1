import { Button, Paper, Skeleton, Stack } from '@mantine/core';
import type { List, Template } from '@posthorn/contract';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { Cursor } from '../ui/cursor';
import { EmptyState } from '../ui/empty-state';
import { Loaded } from '../ui/loaded';
import { Page } from '../ui/page';
import { Pager } from '../ui/pager';
import { templatesQuery } from './queries';
import { TemplateTable } from './template-table';

const page = getRouteApi('/app-layout/templates');

export function TemplatesPage() {
  const cursor = page.useSearch();
  const query = useQuery(templatesQuery(cursor));
  return (
    <Page
      title="Templates"
      description="Reusable content for your emails. Every change creates a new version."
      actions={query.data?.data.length !== 0 && <NewTemplateButton />}
    >
      <Loaded query={query} skeleton={<TableSkeleton />}>
        {(list) => <Templates list={list} cursor={cursor} />}
      </Loaded>
    </Page>
  );
}

function Templates({ list: { data, has_more }, cursor }: { readonly list: List<Template>; readonly cursor: Cursor }) {
  if (data.length === 0) return cursor.after || cursor.before ? <EmptyPage /> : <NoTemplates />;
  return (
    <>
      <Paper withBorder px={{ base: 'xs', sm: 'md' }} py="xs">
        <TemplateTable templates={data} />
      </Paper>
      <Pager what="templates" cursor={cursor} hasMore={has_more} first={data[0]?.id} last={data.at(-1)?.id} />
    </>
  );
}

function NoTemplates() {
  return (
    <EmptyState
      title="No templates yet"
      text="A template holds a subject, HTML and text with variables such as {{first_name}}. Your program sends only the template ID and the values, so you can change the content here without deploying new code."
    >
      <NewTemplateButton />
    </EmptyState>
  );
}

function EmptyPage() {
  return (
    <EmptyState title="No templates on this page" text="The templates on this page were deleted.">
      <Button component={Link} to="/templates" variant="default">
        Go to newest
      </Button>
    </EmptyState>
  );
}

function NewTemplateButton() {
  return (
    <Button component={Link} to="/templates/new" leftSection={<IconPlus size={16} aria-hidden />}>
      New template
    </Button>
  );
}

function TableSkeleton() {
  return (
    <Paper withBorder p="md">
      <Stack gap="md">
        {[1, 2, 3, 4].map((row) => (
          <Skeleton key={row} height={48} />
        ))}
      </Stack>
    </Paper>
  );
}
