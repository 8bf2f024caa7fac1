import { Alert, Checkbox, Group, MultiSelect, NativeSelect, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type CreateApiKeyRequest, type CreatedApiKey, type Mode, modes, type Scope } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../accounts/session';
import { request } from '../api/request';
import { domainsQuery } from '../domains/queries';
import { DialogForm, useApiForm } from '../ui/api-form';
import { CodeSamples } from '../ui/code-samples';
import { listOptions } from '../ui/format';
import { type GuardProps, ShownOnce, ShownOnceDialog } from '../ui/shown-once';
import { buildExampleRequest, getListable } from './example-request';
import { expiries, toExpiry } from './expiry';
import { apiKeysKey, apiKeysPath } from './queries';

type CreateKeyDialogProps = { readonly opened: boolean; readonly onClose: () => void };

export function CreateKeyDialog(props: CreateKeyDialogProps) {
  return (
    <ShownOnceDialog<CreatedApiKey> title="Create an API key" {...props} form={(steps) => <CreateKeyForm {...steps} />}>
      {(created, guard) => <CreatedKey created={created} {...guard} />}
    </ShownOnceDialog>
  );
}

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

type KeyValues = typeof initialValues;

function toRequest({ domain_ids, networks, expiry, expires_at: date, ...fields }: KeyValues): CreateApiKeyRequest {
  return {
    ...fields,
    domain_ids: domain_ids.length > 0 ? domain_ids : null,
    networks: networks.length > 0 ? networks : null,
    expires_at: toExpiry(expiry, date),
  };
}

type CreateKeyFormProps = { readonly onCancel: () => void; readonly onMade: (key: CreatedApiKey) => void };

function CreateKeyForm({ onCancel, onMade }: CreateKeyFormProps) {
  const { form, ...state } = useApiForm({
    initialValues,
    submit: (values) => request<CreatedApiKey>('POST', apiKeysPath, toRequest(values)),
    onDone: onMade,
    refresh: [apiKeysKey],
  });
  return (
    <DialogForm {...state} action="Create key" onCancel={onCancel}>
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
        data={listOptions(modes)}
        {...form.getInputProps('mode')}
      />
      <Checkbox.Group label="Scopes" description="What the key is allowed to do." {...form.getInputProps('scopes')}>
        <Stack gap="xs" mt="xs">
          {Object.entries(scopes).map(([name, description]) => (
            <Checkbox key={name} value={name} label={name} description={description} />
          ))}
        </Stack>
      </Checkbox.Group>
      {form.values.mode === 'test' && form.values.scopes.some((scope) => sharedScopes.includes(scope)) && (
        <Alert role="status" color="orange">
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
    </DialogForm>
  );
}

function KeyRestrictions({ form }: { readonly form: UseFormReturnType<KeyValues> }) {
  const { data: domains = [] } = useQuery(domainsQuery);
  const { domain_ids: domainIds, networks } = form.values;
  return (
    <>
      {domains.length > 0 && (
        <MultiSelect
          label="Only send from these domains"
          description="With domains, the key cannot use the platform sender."
          placeholder={domainIds.length === 0 ? 'All domains' : ''}
          data={domains.map(({ id, name }) => ({ value: id, label: name }))}
          nothingFoundMessage="You have no such domain."
          searchable
          hidePickedOptions
          {...form.getInputProps('domain_ids')}
        />
      )}
      <TagsInput
        label="Only work from these networks"
        description="IP addresses, or networks such as 192.0.2.0/24. Press Enter after each one."
        placeholder={networks.length === 0 ? 'Anywhere' : ''}
        acceptValueOnBlur
        {...form.getInputProps('networks')}
      />
    </>
  );
}

/** Every key can also list templates. */
const scopes: Readonly<Record<Scope, string>> = {
  'emails:send':
    'Send, reschedule and cancel emails, and read them without their content. Add, import and remove suppressions.',
  'emails:read': 'Read suppressions, and emails with their content: subject, bodies and variables.',
  'templates:write': 'Create, change and delete templates.',
  'domains:write': 'List, add, verify and delete sending domains, and rotate their keys.',
  'webhooks:write':
    'Create, change, test and delete webhooks, rotate their secrets, read what was sent to them, and replay it.',
};

type CreatedKeyProps = GuardProps & { readonly created: CreatedApiKey };

/** Shows the new key, which cannot be shown again, and code to try it. The key is not stored. */
function CreatedKey({ created: { key, scopes: granted, domain_ids: domainIds }, ...guard }: CreatedKeyProps) {
  const { user } = useSession();
  const { data: domains = [] } = useQuery(domainsQuery);
  const domain = domains.find(({ id }) => domainIds?.includes(id))?.name ?? null;
  return (
    <ShownOnce
      {...guard}
      value={key}
      what="key"
      warning="The key is shown only once, because we store only a hash of it. Anyone who has it can do what its scopes allow."
      ifLost="You would have to revoke it and create another one."
    >
      {(onCopied) => (
        <div onCopy={onCopied}>
          <Text fw={600} mb={4}>
            {granted.includes('emails:send')
              ? `Try it: send an email to ${user.email}`
              : `Try it: list ${getListable(granted)}`}
          </Text>
          <CodeSamples
            request={buildExampleRequest({ credential: { key }, scopes: granted, recipient: user.email, domain })}
            onCopy={onCopied}
          />
        </div>
      )}
    </ShownOnce>
  );
}
