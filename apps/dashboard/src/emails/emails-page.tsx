import { Button, Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Loaded } from '../ui/loaded';
import { ModeSwitch } from '../ui/mode-switch';
import { NewRowsButton } from '../ui/new-rows-button';
import { Page } from '../ui/page';
import { TableSkeleton } from '../ui/table-skeleton';
import { EmailFilters } from './email-filters';
import { EmailPager } from './email-pager';
import { type FilterName, hasFilters, isFirstPage, withFilters, withMode, withoutFilters } from './email-search';
import { EmailTable } from './email-table';
import { hasOnlyFilterErrors } from './filter-errors';
import { InvalidFilters, NoEmails, NoMatches } from './no-emails';
import { emailsQuery, showNewEmails } from './queries';

const page = getRouteApi('/app-layout/emails');

export function EmailsPage() {
  const search = page.useSearch();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const query = useQuery(emailsQuery(search));
  const mode = search.mode === 'test' ? 'test' : 'live';
  const reset = () => navigate({ to: '/emails', search: withoutFilters(search) });
  const filter = (filters: Partial<Record<FilterName, string>>) =>
    navigate({ to: '/emails', search: withFilters(search, filters) });
  const hasNoEmails = query.data?.rows.length === 0 && !hasFilters(search) && isFirstPage(search);
  return (
    <Page
      title="Emails"
      description="Newest first, including scheduled emails."
      actions={
        <Button component={Link} to="/emails/new">
          New email
        </Button>
      }
    >
      <ModeSwitch mode={mode} onChange={(chosen) => navigate({ to: '/emails', search: withMode(search, chosen) })} />
      {!hasNoEmails && <EmailFilters search={search} error={query.error} onChange={filter} onReset={reset} />}
      {hasOnlyFilterErrors(query.error) ? (
        <InvalidFilters onReset={reset} />
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
