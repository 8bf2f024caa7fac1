import { Alert, Checkbox, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import type { CreateApiKeyRequest, CreatedApiKey, Mode, Scope } from '@posthorn/contract';
import { useQueryClient } from '@tanstack/react-query';
import { request } from '../api/request';
import { ApiForm } from '../ui/api-form';
import { FormActions } from '../ui/form-actions';
import { ProblemAlert } from '../ui/problem-alert';
import { useApiForm } from '../ui/use-api-form';
import { expiresAt, expiries } from './expiry';
import { KeyRestrictions } from './key-restrictions';
import { apiKeysKey, apiKeysPath } from './queries';
import { scopes } from './scopes';

const defaultScopes: Scope[] = ['emails:send'];

/** Scopes that affect live mail even if the key is a test key. */
const sharedScopes: readonly Scope[] = ['templates:write', 'domains:write'];

const initialValues = {
  name: '',
  mode: 'live' as Mode,
  scopes: defaultScopes,
  domain_ids: [] as string[],
  networks: [] as string[],
  expiry: 'never',
  expires_at: '',
};

export type KeyValues = typeof initialValues;

function toRequest({ domain_ids, networks, expiry, expires_at: date, ...fields }: KeyValues): CreateApiKeyRequest {
  return {
    ...fields,
    domain_ids: domain_ids.length > 0 ? domain_ids : null,
    networks: networks.length > 0 ? networks : null,
    expires_at: expiresAt(expiry, date),
  };
}

type Props = { readonly onCancel: () => void; readonly onCreated: (key: CreatedApiKey) => void };

export function CreateKeyForm({ onCancel, onCreated }: Props) {
  const queryClient = useQueryClient();
  const { form, problem, pending, onSubmit } = useApiForm({
    initialValues,
    submit: (values) => request<CreatedApiKey>('POST', apiKeysPath, toRequest(values)),
    onDone: (created) => {
      void queryClient.invalidateQueries({ queryKey: apiKeysKey });
      onCreated(created);
    },
  });
  return (
    <ApiForm onSubmit={onSubmit}>
      <Stack>
        <TextInput
          label="Name"
          description="The program that uses the key, so you know which key to revoke."
          placeholder="Production shop"
          required
          data-autofocus
          autoComplete="off"
          {...form.getInputProps('name')}
        />
        <NativeSelect
          label="Mode"
          description="Emails created with a test key are built and signed, but never sent or counted."
          data={[
            { value: 'live', label: 'Live' },
            { value: 'test', label: 'Test' },
          ]}
          {...form.getInputProps('mode')}
        />
        <Checkbox.Group label="Scopes" description="What the key is allowed to do." {...form.getInputProps('scopes')}>
          <Stack gap="xs" mt="xs">
            {scopes.map(({ name, description }) => (
              <Checkbox key={name} value={name} label={name} description={description} />
            ))}
          </Stack>
        </Checkbox.Group>
        {form.values.mode === 'test' && form.values.scopes.some((scope) => sharedScopes.includes(scope)) && (
          <Alert role="status" color="orange" variant="light">
            Templates and domains are shared by both modes. Changes made with this key also affect live mail.
          </Alert>
        )}
        <KeyRestrictions form={form} />
        <Group align="flex-start" grow preventGrowOverflow={false} wrap="wrap">
          <NativeSelect label="Expires" data={expiries} {...form.getInputProps('expiry')} />
          {form.values.expiry === 'date' && (
            <TextInput type="date" label="Expires at the start of" required {...form.getInputProps('expires_at')} />
          )}
        </Group>
        <ProblemAlert error={problem} />
        <FormActions action="Create key" pending={pending} onCancel={onCancel} />
      </Stack>
    </ApiForm>
  );
}
