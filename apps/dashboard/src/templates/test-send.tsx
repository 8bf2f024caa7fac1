import { Alert, Text, TextInput } from '@mantine/core';
import type { AcceptedEmail, SendEmailRequest, Template } from '@posthorn/contract';
import { useState } from 'react';
import { useSession } from '../accounts/session';
import { sendEmail } from '../api/request';
import { DialogForm, useApiForm } from '../ui/api-form';
import { DialogButton } from '../ui/buttons';
import { TextLink } from '../ui/links';
import { type Samples, toTemplateVars } from './samples';
import { previewContent, type TemplateContent } from './template-content';

export function TestSendButton({ source }: { readonly source: TestSource }) {
  return (
    <DialogButton label="Send test" title="Send a test email">
      {() => <TestSendForm source={source} />}
    </DialogButton>
  );
}

function TestSendForm({ source }: { readonly source: TestSource }) {
  const { user, workspace } = useSession();
  const [sent, setSent] = useState<AcceptedEmail | null>(null);
  const { form, ...state } = useApiForm({
    initialValues: { to: user.email },
    submit({ to }) {
      setSent(null);
      return sendTest(to, source);
    },
    onDone: setSent,
  });
  return (
    <DialogForm {...state} action="Send">
      {sent !== null && <TestAccepted email={sent} />}
      <TextInput label="To" type="email" required data-autofocus {...form.getInputProps('to')} />
      <Text className="breakable">
        {describeTest(source)} The email comes from {workspace.platform_sender} and counts as one send.
      </Text>
    </DialogForm>
  );
}

function TestAccepted({ email: { id, to } }: { readonly email: AcceptedEmail }) {
  return (
    <Alert role="status" color="green" title="Accepted">
      <Text className="breakable">
        The test email is on its way to {to.join(', ')}.{' '}
        <TextLink to="/emails/$id" params={{ id }}>
          View email
        </TextLink>
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

type TestSource = {
  /** Null if the template was never saved. */
  readonly template: Template | null;
  readonly changed: boolean;
  readonly content: TemplateContent;
  readonly samples: Samples;
};

/**
 * Sends a test email. Unsaved content is sent as rendered by the preview, because a test must not change the
 * template that other emails use.
 * @throws ApiError for errors in the content; Error for variables without a value
 */
async function sendTest(to: string, { template, changed, content, samples }: TestSource): Promise<AcceptedEmail> {
  const fields =
    template === null || changed ? await renderFields(content, samples) : toStoredFields(template, samples);
  return sendEmail({ to: [to], ...fields });
}

type ContentFields = Omit<SendEmailRequest, 'to'>;

function toStoredFields({ id, variables }: Template, samples: Samples): ContentFields {
  return {
    template_id: id,
    template_vars: toTemplateVars(
      samples,
      variables.map(({ name }) => name),
    ),
  };
}

async function renderFields(content: TemplateContent, samples: Samples): Promise<ContentFields> {
  const { subject, html, text, missing } = await previewContent(content, samples, []);
  if (missing.length > 0) throw new Error(`Enter a sample value for these variables first: ${missing.join(', ')}.`);
  return { subject, html, text };
}
