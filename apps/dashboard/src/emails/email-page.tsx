import { Button, SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ApiError, isApiError } from '../api/request';
import { EmptyState } from '../ui/empty-state';
import { Loaded } from '../ui/loaded';
import { Page } from '../ui/page';
import { RequestId } from '../ui/request-id';
import { EmailActions } from './email-actions';
import { EmailDetail } from './email-detail';
import { EmailStatusLine } from './email-status-line';
import { emailQuery } from './queries';

const page = getRouteApi('/app-layout/emails/$id');

export function EmailPage() {
  const { id } = page.useParams();
  const query = useQuery(emailQuery(id));
  if (isApiError(query.error, 'not_found')) return <EmailNotFound error={query.error} />;
  const email = query.data;
  return (
    <Page
      title={email === undefined ? 'Email' : email.subject || '(no subject)'}
      description={email === undefined ? <Skeleton height={26} width="60%" /> : <EmailStatusLine email={email} />}
      actions={
        email && (
          <>
            <EmailActions email={email} />
            {email.mode === 'live' && <SendAgain id={email.id} />}
          </>
        )
      }
    >
      <Loaded query={query} skeleton={<DetailSkeleton />}>
        {(loaded) => <EmailDetail key={loaded.id} email={loaded} />}
      </Loaded>
    </Page>
  );
}

/** Test mail cannot be sent again, because a session sends live mail, and test data must not reach anyone. */
function SendAgain({ id }: { readonly id: string }) {
  return (
    <Button variant="default" renderRoot={(props) => <Link {...props} to="/emails/new" search={{ from: id }} />}>
      Send again
    </Button>
  );
}

function EmailNotFound({ error }: { readonly error: ApiError }) {
  return (
    <Page title="Email not found">
      <EmptyState
        title="No email has this ID"
        text="The address may be incomplete, or the email may belong to another workspace. You can switch workspaces in the menu at the top."
      >
        <Button component={Link} to="/emails">
          Go to emails
        </Button>
      </EmptyState>
      <RequestId error={error} />
    </Page>
  );
}

function DetailSkeleton() {
  return (
    <Stack gap="lg">
      <Skeleton height={210} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Skeleton height={240} />
        <Skeleton height={240} />
      </SimpleGrid>
      <Skeleton height={640} />
    </Stack>
  );
}
