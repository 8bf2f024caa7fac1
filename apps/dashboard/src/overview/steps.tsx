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
import { FirstEmailCommand } from './first-email-command';
import { SendTestEmail } from './send-test-email';
import { Step } from './step';

export function KeyStep() {
  const { data } = useQuery(apiKeysQuery);
  const isOwner = useIsOwner();
  return (
    <Step title="Make a key" isDone={data?.data.some((key) => key.revoked_at === null) ?? false}>
      <Text size="sm">
        A program proves itself with it.{' '}
        {isOwner ? (
          <Anchor component={Link} to="/api-keys" inherit underline="always">
            Make one
          </Anchor>
        ) : (
          'Ask an owner of the workspace for one.'
        )}
      </Text>
    </Step>
  );
}

export function SendStep() {
  const { data } = useQuery(newestEmailsQuery({ limit: '5' }));
  return (
    <Step title="Send the first email" isDone={data !== undefined && data.data.length > 0}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">Paste this into a terminal, with your key in place of YOUR_KEY:</Text>
        <FirstEmailCommand />
        <Text size="sm">Or without a key:</Text>
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
    <Step title={isDone ? 'An email was sent: look into the inbox' : 'See it arrive'} isDone={isDone}>
      {newest === undefined ? (
        <Text size="sm">
          The mail server takes it, and a moment later it is in the inbox of {user.email}. This page follows it.
        </Text>
      ) : (
        <Stack gap={6} align="flex-start">
          <EmailStatusBadge status={newest.status} />
          <Anchor
            size="sm"
            underline="always"
            renderRoot={(props) => <Link {...props} to="/emails/$id" params={{ id: newest.id }} />}
          >
            See what became of it
          </Anchor>
        </Stack>
      )}
    </Step>
  );
}

export function DomainStep() {
  const { data } = useQuery(domainsQuery);
  return (
    <Step title="Add a domain" isOptional isDone={data !== undefined && data.data.length > 0}>
      <Text size="sm">
        Until then mail comes from the platform sender.{' '}
        <Anchor component={Link} to="/domains" inherit underline="always">
          To the domains
        </Anchor>
      </Text>
    </Step>
  );
}

export function TemplateStep() {
  const { data } = useQuery(templatesQuery({}));
  return (
    <Step title="Make a template" isOptional isDone={data !== undefined && data.data.length > 0}>
      <Text size="sm">
        Texts that are kept here and filled in when they are sent.{' '}
        <Anchor component={Link} to="/templates/new" inherit underline="always">
          Write one
        </Anchor>
      </Text>
    </Step>
  );
}
