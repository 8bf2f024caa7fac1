import { ActionIcon, Box, Code, Group, Paper, Text, Tooltip } from '@mantine/core';
import type { List, Template } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { request, toPath } from '../api/request';
import { CopyButton } from '../ui/copyable';
import { DataTable } from '../ui/data-table';
import { TextFilter } from '../ui/filters';
import { type Icon, IconCopyPlus, IconPlus, IconTrash } from '../ui/icons';
import { ButtonLink, TextLink } from '../ui/links';
import { Loaded } from '../ui/loaded';
import { EmptyState, Page } from '../ui/page';
import { Pager } from '../ui/pager';
import { TableSkeleton } from '../ui/skeletons';
import { RelativeTime } from '../ui/timestamp';
import { useChange } from '../ui/use-change';
import { type TemplatesSearch, templatesKey, templatesPath, templatesQuery } from './queries';

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
      <Pager what="templates" cursor={search} hasMore={has_more} rows={data} />
    </>
  );
}

function Nothing({ search: { name, after, before } }: { readonly search: TemplatesSearch }) {
  if (after || before)
    return (
      <EmptyState title="No templates on this page" text="The templates on this page were deleted.">
        <ButtonLink to="/templates" variant="default">
          Go to newest
        </ButtonLink>
      </EmptyState>
    );
  if (name) return <EmptyState title="No matching templates" text={`No template has "${name}" in its name.`} />;
  return (
    <EmptyState
      title="No templates yet"
      text="A template holds a subject, HTML and text with variables such as {{first_name}}. Your program sends only the template ID and the values, so you can change the content here without deploying new code."
    >
      <NewTemplateButton />
    </EmptyState>
  );
}

function NewTemplateButton() {
  return (
    <ButtonLink to="/templates/new" leftSection={<IconPlus size={16} />}>
      New template
    </ButtonLink>
  );
}

function TemplateTable({ templates }: { readonly templates: readonly Template[] }) {
  const { run: remove } = useDeleteTemplate();
  const { run: duplicate } = useDuplicateTemplate();
  return (
    <DataTable
      verticalSpacing="sm"
      highlightOnHover
      aria-label="Templates"
      rows={templates}
      columns={[
        {
          name: 'Name and subject',
          isBreakable: true,
          cell: ({ id, name, subject }) => (
            <>
              <TextLink size="md" to="/templates/$id" params={{ id }} fw={600}>
                {name}
              </TextLink>
              <Text c="dimmed">{subject}</Text>
            </>
          ),
        },
        {
          name: 'Variables',
          from: 'md',
          w: '34%',
          cell: ({ variables }) => <VariableNames names={variables.map(({ name }) => name)} />,
        },
        { name: 'Version', from: 'xs', cell: ({ version }) => version },
        { name: 'Updated', from: 'sm', cell: ({ updated_at }) => <RelativeTime value={updated_at} /> },
        {
          name: 'Actions',
          ta: 'end',
          cell: (template) => (
            <Group gap={4} justify="flex-end" wrap="nowrap">
              <CopyButton value={template.id} what={`the ID of ${template.name}`} />
              <RowButton
                label="Duplicate"
                name={template.name}
                icon={IconCopyPlus}
                onClick={() => duplicate(template)}
              />
              <RowButton label="Delete" name={template.name} icon={IconTrash} onClick={() => remove(template)} />
            </Group>
          ),
        },
      ]}
    />
  );
}

type RowButtonProps = {
  readonly label: string;
  readonly name: string;
  readonly icon: Icon;
  readonly onClick: () => void;
};

function RowButton({ label, name, icon: Icon, onClick }: RowButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" onClick={onClick} aria-label={`${label} ${name}`}>
        <Icon size={16} />
      </ActionIcon>
    </Tooltip>
  );
}

const MAX_SHOWN = 3;

function VariableNames({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) {
    return <Text c="dimmed">None</Text>;
  }
  const more = names.length - MAX_SHOWN;
  return (
    <Group gap={6}>
      {names.slice(0, MAX_SHOWN).map((name) => (
        <Code key={name} className="breakable">
          {name}
        </Code>
      ))}
      {more > 0 && (
        <Text c="dimmed" span>
          and {more} more
        </Text>
      )}
    </Group>
  );
}

function useDeleteTemplate() {
  return useChange({
    change: ({ id }: Template) => request('DELETE', toPath(templatesPath, id)),
    question: ({ name }) => ({
      title: `Delete ${name}?`,
      text: 'New emails can no longer use it, and all its versions are deleted. Emails that were already accepted will still be sent.',
      action: 'Delete template',
    }),
    done: (_, { name }) => `${name} was deleted.`,
    refresh: [templatesKey],
  });
}

function useDuplicateTemplate() {
  const navigate = useNavigate();
  return useChange({
    change: ({ id }: Template) => request<Template>('POST', `${toPath(templatesPath, id)}/duplicate`, {}),
    onDone: ({ id }) => void navigate({ to: '/templates/$id', params: { id } }),
    done: ({ name }) => `${name} was created.`,
    refresh: [templatesKey],
  });
}
