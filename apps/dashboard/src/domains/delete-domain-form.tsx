import { Stack, Text, TextInput } from '@mantine/core';
import type { Deleted, Domain } from '@posthorn/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { request } from '../api/request';
import { ApiForm } from '../ui/api-form';
import { FormActions } from '../ui/form-actions';
import { notifyDone } from '../ui/notify';
import { ProblemAlert } from '../ui/problem-alert';
import { useApiForm } from '../ui/use-api-form';
import { domainPath, domainQuery, domainsQuery } from './queries';

type Props = { readonly domain: Domain; readonly onCancel: () => void };

/** Users must type the domain name to confirm. */
export function DeleteDomainForm({ domain: { id, name }, onCancel }: Props) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { form, problem, pending, onSubmit } = useApiForm({
    initialValues: { name: '' },
    submit: () => request<Deleted<'domain'>>('DELETE', domainPath(id)),
    onDone: async () => {
      await queryClient.invalidateQueries(domainsQuery);
      await navigate({ to: '/domains' });
      queryClient.removeQueries(domainQuery(id));
      notifyDone(`${name} was deleted.`);
    },
  });
  return (
    <ApiForm onSubmit={onSubmit}>
      <Stack>
        <Text size="sm">
          This deletes the domain's keys immediately. Emails from the domain that are still waiting will fail, so cancel
          them or let them go out first. This cannot be undone. If you add the domain again, it gets new DNS records.
        </Text>
        <TextInput
          label={
            <>
              To confirm, type <b className="breakable">{name}</b>
            </>
          }
          data-autofocus
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps('name')}
        />
        <ProblemAlert error={problem} />
        <FormActions
          action="Delete domain"
          pending={pending}
          onCancel={onCancel}
          color="red"
          disabled={form.values.name.trim() !== name}
        />
      </Stack>
    </ApiForm>
  );
}
