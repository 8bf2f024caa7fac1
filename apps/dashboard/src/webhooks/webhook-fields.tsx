import { MultiSelect, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { domainsQuery } from '../domains/queries';
import { EventChoice } from './event-choice';
import type { WebhookValues } from './webhook-values';

/** The fields that creating and changing a webhook have in common. */
export function WebhookFields({ form }: { readonly form: UseFormReturnType<WebhookValues> }) {
  return (
    <>
      <TextInput
        label="URL"
        description="Where we post events. It must be https and reachable from the internet."
        placeholder="https://example.com/webhooks"
        required
        data-autofocus
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        inputMode="url"
        {...form.getInputProps('url')}
      />
      <TextInput
        label="Description"
        description="For your own use."
        placeholder="Orders service"
        autoComplete="off"
        {...form.getInputProps('description')}
      />
      <EventChoice {...form.getInputProps('events')} value={form.values.events} />
      <Filters form={form} />
    </>
  );
}

function Filters({ form }: { readonly form: UseFormReturnType<WebhookValues> }) {
  const { data: domains = [] } = useQuery(domainsQuery);
  const known = domains.map(({ id, name }) => ({ value: id, label: name }));
  // A webhook can name a domain that has been deleted.
  const deleted = form.values.domain_ids.filter((id) => domains.every((domain) => domain.id !== id));
  return (
    <Stack gap="sm">
      <Text size="sm">
        Filters are optional. With domains, the webhook gets events of these domains and of emails from them. With tags,
        it gets only events of emails. With either, it gets no usage events.
      </Text>
      <MultiSelect
        label="Only events of these domains and of emails from them"
        placeholder={form.values.domain_ids.length === 0 ? 'All domains' : ''}
        data={[...known, ...deleted.map((id) => ({ value: id, label: `${id} (deleted)` }))]}
        nothingFoundMessage="You have no such domain."
        searchable
        hidePickedOptions
        {...form.getInputProps('domain_ids')}
      />
      <TagsInput
        label="Only events of emails with one of these tags"
        description="Written as name:value. Press Enter after each tag."
        placeholder={form.values.tags.length === 0 ? 'campaign:welcome' : ''}
        acceptValueOnBlur
        {...form.getInputProps('tags')}
      />
    </Stack>
  );
}
