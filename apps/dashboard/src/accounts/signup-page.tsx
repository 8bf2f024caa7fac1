import { Alert, Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Page } from '../ui/page';
import { SignupForm } from './signup-form';

/** The API reports that sign-up is closed only when someone tries to sign up. */
export function SignupPage() {
  const [refusal, setRefusal] = useState<string | null>(null);
  return (
    <Page title="Create an account" description="Your account comes with a workspace on the Free plan.">
      {refusal === null ? (
        <SignupForm onClosed={setRefusal} />
      ) : (
        <Alert role="alert" title="Sign-up is closed">
          {refusal} If you were invited, open the link in the invitation email instead.
        </Alert>
      )}
      <Text size="sm">
        Already have an account?{' '}
        <Anchor component={Link} to="/login" underline="always">
          Log in
        </Anchor>
      </Text>
    </Page>
  );
}
