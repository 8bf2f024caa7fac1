import { Badge, Box, Button, Group, Stack, Text, ThemeIcon, VisuallyHidden } from '@mantine/core';
import type { SendEmailRequest } from '@posthorn/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useIsOwner, useSession } from '../accounts/session';
import { sendEmail } from '../api/request';
import { FirstEmailCode } from '../api-keys/example-request';
import { apiKeysQuery } from '../api-keys/queries';
import { domainsQuery } from '../domains/queries';
import { EmailStatusBadge } from '../emails/email-table';
import { emailsKey, handedOverQuery, newestEmailsQuery } from '../emails/queries';
import { templatesQuery } from '../templates/queries';
import { IconCheck, IconSend } from '../ui/icons';
import { InlineLink, TextLink } from '../ui/links';
import { ProblemAlert } from '../ui/loaded';
import { notifyDone } from '../ui/notify';
import { Section } from '../ui/page';
import { usageQuery } from '../usage/queries';

/**
 * Setup steps for a new workspace. Once shown, they stay until the user leaves the page, even after the first email.
 */
export function FirstSteps() {
  const { data: isHandedOver } = useQuery(handedOverQuery);
  const [isShown, setShown] = useState(false);
  if (!isShown && isHandedOver === false) setShown(true);
  if (!isShown) return null;
  return (
    <Section title="First steps" description="Each step is checked off automatically when you complete it.">
      <Stack component="ol" gap="lg" m={0} p={0} style={{ listStyle: 'none' }}>
        <KeyStep />
        <SendStep />
        <DeliveryStep isDone={isHandedOver === true} />
        <DomainStep />
        <TemplateStep />
      </Stack>
    </Section>
  );
}

function KeyStep() {
  const { data } = useQuery(apiKeysQuery);
  const isOwner = useIsOwner();
  return (
    <Step title="Create an API key" isDone={data !== undefined && data.data.length > 0}>
      <Text>
        Your program uses it to authenticate.{' '}
        {isOwner ? <InlineLink to="/api-keys">Create a key</InlineLink> : 'Ask a workspace owner for one.'}
      </Text>
    </Step>
  );
}

function SendStep() {
  const { data } = useQuery(newestEmailsQuery({ limit: '5' }));
  return (
    <Step title="Send your first email" isDone={data !== undefined && data.data.length > 0}>
      <Stack gap="sm" align="flex-start">
        <Text>Replace YOUR_KEY with your key and run this code:</Text>
        <FirstEmailCode />
        <Text>Or send one without a key:</Text>
        <SendTestEmail />
      </Stack>
    </Step>
  );
}

function DeliveryStep({ isDone }: { readonly isDone: boolean }) {
  const { user } = useSession();
  const { data } = useQuery(newestEmailsQuery({ limit: '5' }));
  const newest = data?.data[0];
  return (
    <Step title={isDone ? 'Email sent: check your inbox' : 'See it arrive'} isDone={isDone}>
      {newest === undefined ? (
        <Text>
          Once the mail server accepts the email, it should reach {user.email} within moments. This page updates
          automatically.
        </Text>
      ) : (
        <Stack gap={6} align="flex-start">
          <EmailStatusBadge status={newest.status} />
          <TextLink underline="always" to="/emails/$id" params={{ id: newest.id }}>
            View email
          </TextLink>
        </Stack>
      )}
    </Step>
  );
}

function DomainStep() {
  const { data } = useQuery(domainsQuery);
  return (
    <Step title="Add a domain" isOptional isDone={data !== undefined && data.length > 0}>
      <Text>
        Until a domain is verified, your emails come from the platform sender.{' '}
        <InlineLink to="/domains">Go to domains</InlineLink>
      </Text>
    </Step>
  );
}

function TemplateStep() {
  const { data } = useQuery(templatesQuery({}));
  return (
    <Step title="Create a template" isOptional isDone={data !== undefined && data.data.length > 0}>
      <Text>
        Store the content here and fill in the variables when you send.{' '}
        <InlineLink to="/templates/new">Create a template</InlineLink>
      </Text>
    </Step>
  );
}

type StepProps = {
  readonly title: string;
  readonly isDone: boolean;
  readonly isOptional?: boolean;
  /** Instructions, hidden once the step is done. */
  readonly children: ReactNode;
};

function Step({ title, isDone, isOptional = false, children }: StepProps) {
  return (
    <Group component="li" align="flex-start" gap="sm" wrap="nowrap">
      <ThemeIcon size={24} radius="xl" variant={isDone ? 'filled' : 'default'} color="green.9" aria-hidden>
        {isDone && <IconCheck size={14} />}
      </ThemeIcon>
      <Box flex={1} miw={0}>
        <Group gap="xs" mb={isDone ? 0 : 4}>
          <Text size="md" fw={600} {...(isDone && { c: 'dimmed' })}>
            {title}
            <VisuallyHidden>{isDone ? ' (done)' : ' (to do)'}</VisuallyHidden>
          </Text>
          {isOptional && (
            <Badge variant="default" tt="none" fw={500}>
              Optional
            </Badge>
          )}
        </Group>
        {!isDone && children}
      </Box>
    </Group>
  );
}

function SendTestEmail() {
  const { user } = useSession();
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => sendEmail(buildTestEmail(user.email)),
    onSuccess: () => {
      notifyDone(`Accepted. The email is on its way to ${user.email}.`);
      void queryClient.invalidateQueries({ queryKey: emailsKey });
      void queryClient.invalidateQueries(usageQuery);
    },
  });
  return (
    <Stack gap="sm" align="flex-start">
      <ProblemAlert error={error} />
      <Button
        variant="default"
        leftSection={<IconSend size={16} />}
        onClick={() => mutate()}
        loading={isPending}
        h="auto"
        mih={36}
        styles={{ label: { whiteSpace: 'normal' } }}
      >
        Send a test email to myself
      </Button>
    </Stack>
  );
}

function buildTestEmail(address: string): SendEmailRequest {
  return {
    to: [address],
    subject: 'Hello from Posthorn',
    html: '<h1>It works</h1><p>This email came from your workspace.</p>',
    text: 'It works. This email came from your workspace.',
  };
}
