import {
  Box,
  Button,
  Collapse,
  Group,
  Input,
  NativeSelect,
  SimpleGrid,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import {
  type AcceptedEmail,
  type EmailCheck,
  priorities,
  type SendEmailRequest,
  type TemplateVariable,
} from '@posthorn/contract';
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useId, useState } from 'react';
import { useSession } from '../../accounts/session';
import { request, sendEmail } from '../../api/request';
import { templateNamesQuery, templateQuery } from '../../templates/queries';
import { ApiForm, setFormErrors, useApiForm } from '../../ui/api-form';
import { listOptions } from '../../ui/format';
import { IconAdjustmentsHorizontal } from '../../ui/icons';
import { ProblemAlert } from '../../ui/loaded';
import { notifyDone } from '../../ui/notify';
import { Section } from '../../ui/page';
import { usageQuery } from '../../usage/queries';
import { emailsKey, emailsPath } from '../queries';
import { AttachmentField } from './attachment-field';
import { CheckResult } from './check-result';
import { checkLines, type Draft, toSendRequest } from './draft';

/** Long enough to upload large files over a slow connection. */
const UPLOAD_TIMEOUT_MS = 120_000;

export function ComposeForm({ draft }: { readonly draft: Draft }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [idempotencyKey, setIdempotencyKey] = useState(createIdempotencyKey);
  const { form, problem, pending, onSubmit } = useApiForm<Draft, AcceptedEmail>({
    initialValues: draft,
    validate: { tags: checkLines, headers: checkLines },
    submit: async (values) =>
      sendEmail(await toRequest(queryClient, values), { idempotencyKey, timeoutMs: UPLOAD_TIMEOUT_MS }),
    onDone({ id, warnings }) {
      notifyDone(['Email accepted.', ...warnings.map(({ message }) => message)].join(' '));
      void queryClient.invalidateQueries({ queryKey: emailsKey });
      void queryClient.invalidateQueries(usageQuery);
      void navigate({ to: '/emails/$id', params: { id } });
    },
  });
  const templateId = form.values.template_id;
  const template = useQuery({ ...templateQuery(templateId), enabled: templateId !== '' });
  const [checkProblem, setCheckProblem] = useState<Error | null>(null);
  const check = useMutation({
    mutationFn: async (values: Draft) =>
      request<EmailCheck>('POST', `${emailsPath}/check`, await toRequest(queryClient, values), {
        timeoutMs: UPLOAD_TIMEOUT_MS,
      }),
    gcTime: 0,
    onMutate: () => setCheckProblem(null),
    onError: (error) => setCheckProblem(setFormErrors(form, error)),
  });
  const { reset: forgetCheck } = check;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs whenever the draft changes, and does not read it
  useEffect(() => {
    forgetCheck();
    setIdempotencyKey(createIdempotencyKey());
  }, [form.values, forgetCheck]);
  return (
    <ApiForm onSubmit={onSubmit}>
      <Stack gap="lg">
        <Section title="Recipients" gap="md">
          <RecipientFields form={form} />
        </Section>
        <Section title="Content" gap="md">
          <ContentFields form={form} variables={template.data?.variables ?? []} />
          <AttachmentField
            attachments={form.values.attachments}
            onAdd={(added) => form.setFieldValue('attachments', (files) => [...files, ...added])}
            onRemove={(index) => form.removeListItem('attachments', index)}
          />
        </Section>
        <Section title="Delivery">
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput
              label="Send at"
              description="In your time zone. Leave empty to send now."
              type="datetime-local"
              {...form.getInputProps('scheduled_at')}
            />
            <NativeSelect
              label="Priority"
              description="Decides which of your waiting emails are sent first."
              data={listOptions(priorities)}
              {...form.getInputProps('priority')}
            />
          </SimpleGrid>
          <Box mt="md">
            <MoreOptions form={form} />
          </Box>
        </Section>
        {check.data !== undefined && <CheckResult check={check.data} />}
        <ProblemAlert error={problem ?? checkProblem} />
        <Group justify="flex-end">
          <Button
            variant="default"
            loading={check.isPending}
            disabled={pending}
            onClick={() => !form.validate().hasErrors && check.mutate(form.getValues())}
          >
            Check
          </Button>
          <Button type="submit" loading={pending}>
            {form.values.scheduled_at === '' ? 'Send' : 'Schedule'}
          </Button>
        </Group>
      </Stack>
    </ApiForm>
  );
}

/** crypto.randomUUID exists only on pages that are served over https or from localhost. */
function createIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** @throws ApiError if the template does not exist any more */
async function toRequest(client: QueryClient, draft: Draft): Promise<SendEmailRequest> {
  if (draft.template_id === '') return toSendRequest(draft, []);
  const { variables } = await client.ensureQueryData(templateQuery(draft.template_id));
  return toSendRequest(
    draft,
    variables.map(({ name }) => name),
  );
}

const lists = [
  { name: 'cc', label: 'Cc' },
  { name: 'bcc', label: 'Bcc' },
  { name: 'reply_to', label: 'Reply-To' },
] as const;

function RecipientFields({ form }: { readonly form: UseFormReturnType<Draft> }) {
  const { workspace } = useSession();
  return (
    <>
      <TextInput
        label="From"
        description="An address at one of your verified domains. If empty, the platform sender is used."
        placeholder={workspace.platform_sender}
        {...form.getInputProps('from_')}
      />
      <Textarea
        label="To"
        description="Separate several addresses with commas or line breaks."
        required
        autosize
        maxRows={8}
        {...form.getInputProps('to')}
      />
      {lists.map(({ name, label }) => (
        <Textarea key={name} label={label} autosize maxRows={8} {...form.getInputProps(name)} />
      ))}
    </>
  );
}

type ContentFieldsProps = { readonly form: UseFormReturnType<Draft>; readonly variables: readonly TemplateVariable[] };

/** The subject and the bodies, or a template with its variables: the API accepts one or the other. */
function ContentFields({ form, variables }: ContentFieldsProps) {
  const { data: templates = [] } = useQuery(templateNamesQuery);
  const templateId = form.values.template_id;
  const isDeleted = templateId !== '' && !templates.some(({ id }) => id === templateId);
  return (
    <>
      <NativeSelect
        label="Template"
        data={[
          { value: '', label: 'No template: write the content here' },
          ...templates.map(({ id, name }) => ({ value: id, label: name })),
          ...(isDeleted ? [{ value: templateId, label: templateId }] : []),
        ]}
        {...form.getInputProps('template_id')}
      />
      {templateId === '' ? (
        <>
          <TextInput label="Subject" required {...form.getInputProps('subject')} />
          <Textarea label="HTML" autosize minRows={6} maxRows={24} {...form.getInputProps('html')} />
          <Textarea
            label="Text"
            description="For mail programs that do not show HTML. An email needs HTML, text or both."
            autosize
            minRows={4}
            maxRows={24}
            {...form.getInputProps('text')}
          />
        </>
      ) : (
        <Variables form={form} variables={variables} />
      )}
    </>
  );
}

function Variables({ form, variables }: ContentFieldsProps) {
  if (variables.length === 0) return null;
  return (
    <fieldset className="plain">
      <Input.Label component="legend">Variables</Input.Label>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {variables.map(({ name, default: value, sample }) => (
          <TextInput
            key={name}
            label={name}
            className="breakable"
            placeholder={sample ?? undefined}
            description={value === null ? undefined : 'Filled in with the default.'}
            value={form.values.template_vars[name] ?? value ?? ''}
            onChange={({ currentTarget: { value } }) =>
              form.setFieldValue('template_vars', (values) => ({ ...values, [name]: value }))
            }
          />
        ))}
      </SimpleGrid>
    </fieldset>
  );
}

const names = ['tags', 'headers', 'expires_at', 'unsubscribe'] as const;

/** Fields that few emails need. They are hidden unless one of them is filled in or has an error. */
function MoreOptions({ form }: { readonly form: UseFormReturnType<Draft> }) {
  const panel = useId();
  const [isChosen, setIsChosen] = useState(() => names.some((name) => form.values[name] !== ''));
  const isOpen = isChosen || names.some((name) => form.errors[name]);
  return (
    <div>
      <Button
        variant="default"
        onClick={() => setIsChosen(!isOpen)}
        aria-expanded={isOpen}
        aria-controls={panel}
        leftSection={<IconAdjustmentsHorizontal size={16} />}
      >
        More options
      </Button>
      <Collapse expanded={isOpen} id={panel}>
        <Stack pt="md">
          <Textarea
            label="Tags"
            description="One per line, as name:value. You can filter your emails by them."
            placeholder="campaign:spring"
            autosize
            minRows={2}
            maxRows={8}
            {...form.getInputProps('tags')}
          />
          <Textarea
            label="Headers"
            description="One per line, as Name: value."
            placeholder="X-Order-Id: 1001"
            autosize
            minRows={2}
            maxRows={8}
            {...form.getInputProps('headers')}
          />
          <TextInput
            label="Expires at"
            description="In your time zone. If no mail server has accepted the email by then, it is not sent any more."
            type="datetime-local"
            maw="20rem"
            {...form.getInputProps('expires_at')}
          />
          <TextInput
            label="Unsubscribe topic"
            description={
              'Adds a link with which the only recipient unsubscribes from this topic. Write {{unsubscribe_url}} where the content should have it.'
            }
            placeholder="newsletter"
            maw="20rem"
            {...form.getInputProps('unsubscribe')}
          />
        </Stack>
      </Collapse>
    </div>
  );
}
