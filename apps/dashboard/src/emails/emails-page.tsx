import { Button, Group, NativeSelect, Stack } from '@mantine/core';
import { dayLimits, type EmailSummary, type Mode } from '@posthorn/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { FirstEmailCode } from '../api-keys/example-request';
import { DownloadButton } from '../ui/buttons';
import { ModeSwitch } from '../ui/filters';
import { ButtonLink } from '../ui/links';
import type { LiveList } from '../ui/live-list';
import { Loaded } from '../ui/loaded';
import { EmptyState, Page } from '../ui/page';
import { NewRowsButton, Pager } from '../ui/pager';
import { TableSkeleton } from '../ui/skeletons';
import { EmailFilters } from './email-filters';
import {
  changeFilters,
  changeMode,
  clearFilters,
  type EmailSearch,
  type FilterName,
  hasFilters,
  isFirstPage,
  isTextSearch,
  toCsvQuery,
} from './email-search';
import { EmailTable } from './email-table';
import { emailsPath, emailsQuery, showNewEmails } from './queries';
import { hasOnlyFilterErrors } from './typed-filters';

const page = getRouteApi('/app-layout/emails');

export function EmailsPage() {
  const search = page.useSearch();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const query = useQuery(emailsQuery(search));
  const mode = search.mode === 'test' ? 'test' : 'live';
  const reset = () => navigate({ to: '/emails', search: clearFilters(search) });
  const filter = (filters: Partial<Record<FilterName, string>>) =>
    navigate({ to: '/emails', search: changeFilters(search, filters) });
  const hasNoEmails = query.data?.rows.length === 0 && !hasFilters(search) && isFirstPage(search);
  return (
    <Page
      title="Emails"
      description="Newest first, including scheduled emails."
      actions={<ButtonLink to="/emails/new">New email</ButtonLink>}
    >
      <ModeSwitch mode={mode} onChange={(chosen) => navigate({ to: '/emails', search: changeMode(search, chosen) })} />
      {!hasNoEmails && <EmailFilters search={search} error={query.error} onChange={filter} onReset={reset} />}
      {hasOnlyFilterErrors(query.error) ? (
        <FiltersFailed
          title="Invalid filters"
          text="Correct the filters marked above, or reset them."
          onReset={reset}
        />
      ) : (
        <Loaded query={query} skeleton={<TableSkeleton rows={10} />}>
          {(shown) => (
            <Stack gap="md" opacity={query.isPlaceholderData ? 0.5 : 1} aria-busy={query.isPlaceholderData}>
              <NewRowsButton
                count={shown.newRows.length}
                one="email"
                many="emails"
                onShow={() => showNewEmails(queryClient, search)}
              />
              {shown.rows.length > 0 && <EmailTable emails={shown.rows} label="Emails" />}
              {shown.rows.length === 0 &&
                (hasNoEmails ? <NoEmails mode={mode} /> : <NoMatches search={search} list={shown} onReset={reset} />)}
              {!hasNoEmails && <EmailPager search={search} list={shown} />}
            </Stack>
          )}
        </Loaded>
      )}
    </Page>
  );
}

type EmailPagerProps = { readonly search: EmailSearch; readonly list: LiveList<EmailSummary> };

function EmailPager({ search, list: { rows, hasMore, nextCursor } }: EmailPagerProps) {
  const navigate = useNavigate();
  const resize = (limit: string) =>
    navigate({ to: '/emails', search: { ...search, after: undefined, before: undefined, limit } });
  // A search may have looked further than the last email that it found.
  const edge = isTextSearch(search) ? nextCursor : null;
  return (
    <>
      <Pager
        what="emails"
        cursor={search}
        hasMore={hasMore}
        rows={rows}
        {...(edge && { [search.before ? 'first' : 'last']: edge })}
      />
      <Group justify="space-between">
        <DownloadButton href={`${emailsPath}${toCsvQuery(search)}`} download="emails.csv" label="Download CSV" />
        <NativeSelect
          label="Emails per page"
          data={['20', '50', '100']}
          value={search.limit ?? '20'}
          onChange={({ currentTarget }) => resize(currentTarget.value)}
          styles={{ root: { display: 'flex', alignItems: 'center', gap: '0.5rem' } }}
          size="xs"
        />
      </Group>
    </>
  );
}

function NoEmails({ mode }: { readonly mode: Mode }) {
  if (mode === 'test')
    return (
      <EmptyState
        title="No test mail yet"
        text="Emails created with a test key are built and signed, but never sent. You can look at them here."
      >
        <ButtonLink to="/api-keys" variant="default">
          Create a test key
        </ButtonLink>
      </EmptyState>
    );
  return (
    <EmptyState
      title="No emails yet"
      text="The emails you send appear here with their delivery history. Send your first one with an API key:"
    >
      <FirstEmailCode />
      <ButtonLink to="/api-keys" variant="default" mt="md">
        Go to API keys
      </ButtonLink>
    </EmptyState>
  );
}

type NoMatchesProps = {
  readonly search: EmailSearch;
  readonly list: LiveList<EmailSummary>;
  readonly onReset: () => void;
};

function NoMatches({ search, list: { nextCursor }, onReset }: NoMatchesProps) {
  if (isTextSearch(search) && nextCursor !== null && !search.before)
    return (
      <EmptyState title="No match yet" text="The newest emails do not match. Older ones have not been searched yet.">
        <ButtonLink variant="default" to="." search={(other) => ({ ...other, after: nextCursor, before: undefined })}>
          Search older emails
        </ButtonLink>
      </EmptyState>
    );
  const searched =
    isTextSearch(search) && !search.created_after
      ? `accepted in the last ${dayLimits.search} days`
      : 'in this workspace';
  const text = `No email ${searched} matches all of these filters. Change or reset them.`;
  return <FiltersFailed title="No matching emails" text={text} onReset={onReset} />;
}

type FiltersFailedProps = { readonly title: string; readonly text: string; readonly onReset: () => void };

function FiltersFailed({ title, text, onReset }: FiltersFailedProps) {
  return (
    <EmptyState title={title} text={text}>
      <Button variant="default" onClick={onReset}>
        Reset filters
      </Button>
    </EmptyState>
  );
}
