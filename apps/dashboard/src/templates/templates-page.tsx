import { Box, Button, Paper } from '@mantine/core';
import type { List, Template } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { EmptyState } from '../ui/empty-state';
import { IconPlus } from '../ui/icons';
import { Loaded } from '../ui/loaded';
import { Page } from '../ui/page';
import { Pager } from '../ui/pager';
import { TableSkeleton } from '../ui/table-skeleton';
import { TextFilter } from '../ui/text-filter';
import { templatesQuery } from './queries';
import { TemplateTable } from './template-table';
import type { TemplatesSearch } from './templates-search';

const page = getRouteApi('/app-layout/templates');

export function TemplatesPage() {
  const search = page.useSearch();
  const navigate = page.useNavigate();
  const query = useQuery(templatesQuery(search));
  const find = (name: string) => navigate({ search: name === '' ? {} : { name } });
  const isEmpty = query.data?.data.length === 0 && !search.name;
  return (
    <Page
      title="Templates"
      description="Reusable content for your emails. Every change creates a new version."
      actions={!isEmpty && <NewTemplateButton />}
    >
      {!isEmpty && (
        <Box component="search" maw="24rem">
          <TextFilter label="Search" placeholder="Part of a name" value={search.name ?? ''} onChange={find} />
        </Box>
      )}
      <Loaded query={query} skeleton={<TableSkeleton rows={6} />}>
        {(list) => <Templates list={list} search={search} />}
      </Loaded>
    </Page>
  );
}

type TemplatesProps = { readonly list: List<Template>; readonly search: TemplatesSearch };

function Templates({ list: { data, has_more }, search }: TemplatesProps) {
  if (data.length === 0) return <Nothing search={search} />;
  return (
    <>
      <Paper withBorder px={{ base: 'xs', sm: 'md' }} py="xs">
        <TemplateTable templates={data} />
      </Paper>
      <Pager what="templates" cursor={search} hasMore={has_more} first={data[0]?.id} last={data.at(-1)?.id} />
    </>
  );
}

function Nothing({ search: { name, after, before } }: { readonly search: TemplatesSearch }) {
  if (after || before) return <EmptyPage />;
  if (!name) return <NoTemplates />;
  return <EmptyState title="No matching templates" text={`No template has "${name}" in its name.`} />;
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
    <Button component={Link} to="/templates/new" leftSection={<IconPlus size={16} />}>
      New template
    </Button>
  );
}
