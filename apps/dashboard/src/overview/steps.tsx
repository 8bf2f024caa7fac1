import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useSession } from '../accounts/session';
import { useIsOwner } from '../accounts/workspaces';
import { apiKeysQuery } from '../api-keys/queries';
import { domainsQuery } from '../domains/queries';
import { EmailStatusBadge } from '../emails/email-status-badge';
import { newestEmailsQuery } from '../emails/queries';
import { templatesQuery } from '../templates/queries';
import { FirstEmailCode } from './first-email-code';
import { SendTestEmail } from './send-test-email';
import { Step } from './step';

export function KeyStep() {
  const { data } = useQuery(apiKeysQuery);
  const isOwner = useIsOwner();
  return (
    <Step title="Create an API key" isDone={data !== undefined && data.data.length > 0}>
      <Text size="sm">
        Your program uses it to authenticate.{' '}
        {isOwner ? (
          <Anchor component={Link} to="/api-keys" inherit underline="always">
            Create a key
          </Anchor>
        ) : (
          'Ask a workspace owner for one.'
        )}
      </Text>
    </Step>
  );
}

export function SendStep() {
  const { data } = useQuery(newestEmailsQuery({ limit: '5' }));
  return (
    <Step title="Send your first email" isDone={data !== undefined && data.data.length > 0}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">Replace YOUR_KEY with your key and run this code:</Text>
        <FirstEmailCode />
        <Text size="sm">Or send one without a key:</Text>
        <SendTestEmail />
      </Stack>
    </Step>
  );
}

export function DeliveryStep({ isDone }: { readonly isDone: boolean }) {
  const { user } = useSession();
  const { data } = useQuery(newestEmailsQuery({ limit: '5' }));
  const newest = data?.data[0];
  return (
    <Step title={isDone ? 'Email sent: check your inbox' : 'See it arrive'} isDone={isDone}>
      {newest === undefined ? (
        <Text size="sm">
          Once the mail server accepts the email, it should reach {user.email} within moments. This page updates
          automatically.
        </Text>
      ) : (
        <Stack gap={6} align="flex-start">
          <EmailStatusBadge status={newest.status} />
          <Anchor
            size="sm"
            underline="always"
            renderRoot={(props) => <Link {...props} to="/emails/$id" params={{ id: newest.id }} />}
          >
            View email
          </Anchor>
        </Stack>
      )}
    </Step>
  );
}

export function DomainStep() {
  const { data } = useQuery(domainsQuery);
  return (
    <Step title="Add a domain" isOptional isDone={data !== undefined && data.length > 0}>
      <Text size="sm">
        Until a domain is verified, your emails come from the platform sender.{' '}
        <Anchor component={Link} to="/domains" inherit underline="always">
          Go to domains
        </Anchor>
      </Text>
    </Step>
  );
}

export function TemplateStep() {
  const { data } = useQuery(templatesQuery({}));
  return (
    <Step title="Create a template" isOptional isDone={data !== undefined && data.data.length > 0}>
      <Text size="sm">
        Store the content here and fill in the variables when you send.{' '}
        <Anchor component={Link} to="/templates/new" inherit underline="always">
          Create a template
        </Anchor>
      </Text>
    </Step>
  );
}
