import { Alert, Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import type { AcceptedEmail } from '@posthorn/contract';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useSession } from '../../accounts/session';
import { ApiForm } from '../../ui/api-form';
import { ProblemAlert } from '../../ui/problem-alert';
import { useApiForm } from '../../ui/use-api-form';
import { sendTest, type TestSource } from './send-test';

/** Asks for a recipient, says what will be sent, and links to the email afterwards. */
export function TestSendForm({ source }: { readonly source: TestSource }) {
  const { user, workspace } = useSession();
  const [sent, setSent] = useState<AcceptedEmail | null>(null);
  const { form, problem, pending, onSubmit } = useApiForm({
    initialValues: { to: user.email },
    submit({ to }) {
      setSent(null);
      return sendTest(to, source);
    },
    onDone: setSent,
  });
  return (
    <ApiForm onSubmit={onSubmit}>
      <Stack>
        {sent !== null && <TestAccepted email={sent} />}
        <ProblemAlert error={problem} />
        <TextInput label="To" type="email" required data-autofocus {...form.getInputProps('to')} />
        <Text size="sm" className="breakable">
          {describeTest(source)} The email comes from {workspace.platform_sender} and counts as one send.
        </Text>
        <Group justify="flex-end">
          <Button type="submit" loading={pending}>
            Send
          </Button>
        </Group>
      </Stack>
    </ApiForm>
  );
}

function TestAccepted({ email: { id, to } }: { readonly email: AcceptedEmail }) {
  return (
    <Alert role="status" color="green" variant="light" title="Accepted">
      <Text size="sm" className="breakable">
        The test email is on its way to {to.join(', ')}.{' '}
        <Anchor renderRoot={(props) => <Link {...props} to="/emails/$id" params={{ id }} />}>View email</Anchor>
      </Text>
    </Alert>
  );
}

function describeTest({ template, changed }: TestSource): string {
  if (template === null) return 'The template is not saved yet. This sends the content that the preview shows.';
  return changed
    ? 'You have unsaved changes. This sends the content that the preview shows, and does not change the saved template.'
    : `This sends version ${template.version} of the template with the sample values.`;
}
