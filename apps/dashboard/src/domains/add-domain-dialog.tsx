import { Modal, Stack, Text, TextInput } from '@mantine/core';
import type { CreateDomainRequest, Domain } from '@posthorn/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { request } from '../api/request';
import { ApiForm } from '../ui/api-form';
import { FormActions } from '../ui/form-actions';
import { ProblemAlert } from '../ui/problem-alert';
import { useApiForm } from '../ui/use-api-form';
import { domainQuery, domainsPath, domainsQuery } from './queries';

type Props = { readonly opened: boolean; readonly onClose: () => void };

export function AddDomainDialog({ opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="Add a domain">
      <AddDomainForm onClose={onClose} />
    </Modal>
  );
}

function AddDomainForm({ onClose }: Pick<Props, 'onClose'>) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { form, problem, pending, onSubmit } = useApiForm({
    initialValues: { name: '' },
    submit: ({ name }) => request<Domain>('POST', domainsPath, { name: name.trim() } satisfies CreateDomainRequest),
    onDone: (domain) => {
      queryClient.setQueryData(domainQuery(domain.id).queryKey, domain);
      void queryClient.invalidateQueries(domainsQuery);
      void navigate({ to: '/domains/$id', params: { id: domain.id } });
    },
  });
  return (
    <ApiForm onSubmit={onSubmit}>
      <Stack>
        <TextInput
          label="Domain"
          description="The part after the @ in your sender addresses. Add each subdomain separately."
          placeholder="example.com"
          required
          data-autofocus
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          inputMode="url"
          {...form.getInputProps('name')}
        />
        <ProblemAlert error={problem} />
        <Text size="sm">
          This does not affect email that the domain receives. Next, you will get the DNS records to add.
        </Text>
        <FormActions action="Add domain" pending={pending} onCancel={onClose} />
      </Stack>
    </ApiForm>
  );
}
