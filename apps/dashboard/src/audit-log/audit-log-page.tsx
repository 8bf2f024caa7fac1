import { Box, Button, Group, Stack, Text } from '@mantine/core';
import type { AuditEntry, List } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { OwnersOnly } from '../accounts/owners-only';
import { useIsOwner } from '../accounts/workspaces';
import { EmptyState } from '../ui/empty-state';
import { Loaded } from '../ui/loaded';
import { Page } from '../ui/page';
import { Pager } from '../ui/pager';
import { SelectFilter } from '../ui/select-filter';
import { TableSkeleton } from '../ui/table-skeleton';
import { actionOptions } from './action-labels';
import { actorName } from './actor-name';
import type { AuditLogSearch } from './audit-log-search';
import { EntryTable } from './entry-table';
import { auditLogQuery } from './queries';

const page = getRouteApi('/app-layout/audit-log');

export function AuditLogPage() {
  const isOwner = useIsOwner();
  return (
    <Page
      title="Audit log"
      description="Who changed keys, domains, templates, webhooks, suppressions, members and settings, erased a recipient or exported the workspace."
    >
      {isOwner ? <AuditLog /> : <OwnersOnly action="read the audit log" />}
    </Page>
  );
}

function AuditLog() {
  const search = page.useSearch();
  const navigate = page.useNavigate();
  const query = useQuery(auditLogQuery(search));
  const { actor, target, action = '' } = search;
  const filter = (chosen: string) => navigate({ search: { actor, target, action: chosen || undefined } });
  return (
    <Stack gap="md">
      <Box component="search" maw="24rem">
        <SelectFilter label="Action" options={actionOptions} value={action} onChange={filter} />
      </Box>
      <Loaded query={query} skeleton={<TableSkeleton rows={10} />}>
        {(list) => (
          <>
            <ActiveFilters search={search} entries={list.data} />
            <Entries list={list} search={search} />
          </>
        )}
      </Loaded>
    </Stack>
  );
}

type FiltersProps = { readonly search: AuditLogSearch; readonly entries: readonly AuditEntry[] };

/** Names the actor and the target of the active filters. The URL has only their ids. */
function ActiveFilters({ search: { actor, target }, entries: [entry] }: FiltersProps) {
  if (!actor && !target) return null;
  const by = actor && ` by ${entry ? actorName(entry.actor) : actor}`;
  const to = target && ` to ${entry?.target.label ?? target}`;
  return (
    <Group gap="sm">
      <Text size="sm" className="breakable">
        Only changes{by}
        {to}
      </Text>
      <Button
        size="compact-sm"
        variant="default"
        renderRoot={(props) => (
          <Link {...props} to="/audit-log" search={({ action }) => ({ ...(action !== undefined && { action }) })} />
        )}
      >
        Show all
      </Button>
    </Group>
  );
}

type EntriesProps = { readonly list: List<AuditEntry>; readonly search: AuditLogSearch };

function Entries({ list: { data, has_more }, search }: EntriesProps) {
  if (data.length === 0) return <Nothing search={search} />;
  const { after, before } = search;
  return (
    <>
      <EntryTable entries={data} />
      <Pager
        what="audit log"
        cursor={{ after, before }}
        hasMore={has_more}
        first={data[0]?.id}
        last={data.at(-1)?.id}
      />
    </>
  );
}

function Nothing({ search: { action, actor, target } }: { readonly search: AuditLogSearch }) {
  const isFiltered = action !== undefined || actor !== undefined || target !== undefined;
  if (isFiltered) return <EmptyState title="No matching changes" text="Choose another filter, or show all changes." />;
  return (
    <EmptyState
      title="No changes yet"
      text="Changes to API keys, domains, templates, webhooks, suppressions, members, invitations and the workspace will appear here, with who made them. So will erased recipients and exports."
    />
  );
}
