import { Button, Skeleton } from '@mantine/core';
import type { Email } from '@posthorn/contract';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ApiError, isApiError } from '../api/request';
import { EmptyState } from '../ui/empty-state';
import { Loaded } from '../ui/loaded';
import { Page } from '../ui/page';
import { RequestId } from '../ui/request-id';
import { EmailActions } from './email-actions';
import { EmailDetail } from './email-detail';
import { EmailSkeleton } from './email-skeleton';
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
      description={describe(query)}
      actions={
        email && (
          <>
            <EmailActions email={email} />
            {email.mode === 'live' && <SendAgain id={email.id} />}
          </>
        )
      }
    >
      <Loaded query={query} skeleton={<EmailSkeleton />}>
        {(loaded) => <EmailDetail key={loaded.id} email={loaded} />}
      </Loaded>
    </Page>
  );
}

/** The status, or a placeholder until it is known. After an error, the page shows only the error. */
function describe({ data, isPending }: UseQueryResult<Email>) {
  if (data !== undefined) return <EmailStatusLine email={data} />;
  return isPending ? <Skeleton height={26} width="60%" /> : undefined;
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
