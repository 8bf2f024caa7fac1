import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { FormSkeleton } from '../ui/form-skeleton';
import { Page } from '../ui/page';
import { InvalidLink } from './invalid-link';
import { RejectSignUp } from './reject-sign-up';
import { sessionQuery } from './session';
import { useLinkToken } from './use-link-token';
import { AccountRejected, EmailVerified } from './verification-result';
import { VerifyEmailForm } from './verify-email-form';

const page = getRouteApi('/auth-layout/verify-email');

/**
 * Opening the link confirms nothing yet. The page also requires the account's password or a session, because someone
 * else may have created the account with the reader's address.
 */
export function VerifyEmailPage() {
  const token = useLinkToken(page.useSearch().token);
  return (
    <Page title="Confirm your email address">
      {token === undefined ? <InvalidVerification /> : <LinkContent token={token} />}
    </Page>
  );
}

type Outcome = 'verified' | 'rejected' | 'invalid';

function LinkContent({ token }: { readonly token: string }) {
  const { data: session, isPending } = useQuery(sessionQuery);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  if (isPending) return <FormSkeleton fields={2} />;
  switch (outcome) {
    case 'verified':
      return <EmailVerified />;
    case 'rejected':
      return <AccountRejected />;
    case 'invalid':
      return session?.user.email_verified ? <EmailVerified /> : <InvalidVerification />;
    case null:
      return (
        <>
          <VerifyEmailForm
            token={token}
            loggedInAs={session?.user.email ?? null}
            onVerified={() => setOutcome('verified')}
            onInvalid={() => setOutcome('invalid')}
          />
          <RejectSignUp
            token={token}
            onRejected={() => setOutcome('rejected')}
            onInvalid={() => setOutcome('invalid')}
          />
        </>
      );
    default:
      return outcome satisfies never;
  }
}

function InvalidVerification() {
  return (
    <InvalidLink>
      It may be incomplete, more than 24 hours old, or already used. If your address is not confirmed yet, log in and
      select &quot;Send the link again&quot;.
    </InvalidLink>
  );
}
