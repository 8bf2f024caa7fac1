import { Box, Button, Group, NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core';
import type { AcceptedEmail, EmailCheck, SendEmailRequest } from '@posthorn/contract';
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { request } from '../../api/request';
import { templateQuery } from '../../templates/queries';
import { ApiForm } from '../../ui/api-form';
import { notifyDone } from '../../ui/notify';
import { ProblemAlert } from '../../ui/problem-alert';
import { Section } from '../../ui/section';
import { setFormErrors } from '../../ui/set-form-errors';
import { useApiForm } from '../../ui/use-api-form';
import { usageQuery } from '../../usage/queries';
import { emailsPath } from '../get-emails';
import { emailsKey } from '../queries';
import { AttachmentField } from './attachment-field';
import { CheckResult } from './check-result';
import { ContentFields } from './content-fields';
import { type Draft, toSendRequest } from './draft';
import { checkLines } from './extra-lines';
import { MoreOptions } from './more-options';
import { RecipientFields } from './recipient-fields';

/** Long enough to upload large files over a slow connection. */
const UPLOAD_TIMEOUT_MS = 120_000;

const priorities = [
  { value: 'high', label: 'High' },
  { value: 'normal', label: 'Normal' },
  { value: 'bulk', label: 'Bulk' },
];

export function ComposeForm({ draft }: { readonly draft: Draft }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [idempotencyKey, setIdempotencyKey] = useState(newIdempotencyKey);
  const { form, problem, pending, onSubmit } = useApiForm<Draft, AcceptedEmail>({
    initialValues: draft,
    validate: { tags: checkLines, headers: checkLines },
    submit: async (values) =>
      request('POST', emailsPath, await toRequest(queryClient, values), {
        idempotencyKey,
        timeoutMs: UPLOAD_TIMEOUT_MS,
      }),
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
    setIdempotencyKey(newIdempotencyKey());
  }, [form.values, forgetCheck]);
  return (
    <ApiForm onSubmit={onSubmit}>
      <Stack gap="lg">
        <Section title="Recipients">
          <Stack>
            <RecipientFields form={form} />
          </Stack>
        </Section>
        <Section title="Content">
          <Stack>
            <ContentFields form={form} variables={template.data?.variables ?? []} />
            <AttachmentField
              attachments={form.values.attachments}
              onAdd={(added) => form.setFieldValue('attachments', (files) => [...files, ...added])}
              onRemove={(index) => form.removeListItem('attachments', index)}
            />
          </Stack>
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
              data={priorities}
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
function newIdempotencyKey(): string {
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
