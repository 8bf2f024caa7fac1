import { Button, Checkbox, Group, MultiSelect, SimpleGrid, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { Mode, Webhook } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { domainsQuery } from '../domains/queries';
import { verbatim } from '../ui/api-form';
import { eventDescriptions, type SelectableType, selectableTypes } from './event-types';

export function WebhookFields({ form }: { readonly form: UseFormReturnType<WebhookValues> }) {
  return (
    <>
      <TextInput
        label="URL"
        description="Where we post events. It must be https and reachable from the internet."
        placeholder="https://example.com/webhooks"
        required
        data-autofocus
        {...verbatim}
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
      <Text>
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

type EventChoiceProps = {
  readonly value: SelectableType[];
  readonly error?: ReactNode;
  /** Where the form moves the focus if there is an error. */
  readonly 'data-path'?: string;
  readonly onChange: (types: SelectableType[]) => void;
};

/** Checkboxes for the types of events in groups, with buttons that select all of a group or of all groups. */
function EventChoice({ value, onChange, 'data-path': path, ...props }: EventChoiceProps) {
  const hasAll = value.length === selectableTypes.length;
  return (
    <Checkbox.Group
      label="Events"
      withAsterisk
      inputWrapperOrder={['label', 'error', 'input']}
      value={value}
      onChange={onChange}
      {...props}
    >
      <Stack gap="md" mt={4}>
        <Group justify="space-between">
          <Text c="dimmed">
            {value.length} of {selectableTypes.length} selected
          </Text>
          <Button
            size="compact-sm"
            variant="default"
            data-path={path}
            onClick={() => onChange(hasAll ? [] : [...selectableTypes])}
          >
            {hasAll ? 'Clear all' : 'Select all'}
          </Button>
        </Group>
        <TypesOfGroup label="Emails" noun="email" value={value} onChange={onChange} />
        <TypesOfGroup label="Domains" noun="domain" value={value} onChange={onChange} />
        <TypesOfGroup label="Usage" noun="usage" value={value} onChange={onChange} />
      </Stack>
    </Checkbox.Group>
  );
}

type TypesOfGroupProps = Pick<EventChoiceProps, 'value' | 'onChange'> & {
  readonly label: string;
  /** The word before the dot in the types. */
  readonly noun: string;
};

function TypesOfGroup({ label, noun, value, onChange }: TypesOfGroupProps) {
  const types = selectableTypes.filter((type) => type.startsWith(`${noun}.`));
  const others = value.filter((type) => !types.includes(type));
  const hasAll = types.every((type) => value.includes(type));
  return (
    <fieldset className="plain">
      <legend>
        <Text span fw={600}>
          {label}
        </Text>
      </legend>
      {types.length > 1 && (
        <Button
          size="compact-xs"
          variant="subtle"
          ms={-6}
          mb={4}
          onClick={() => onChange(hasAll ? others : [...others, ...types])}
        >
          {hasAll ? `Clear ${noun} events` : `Select ${noun} events`}
        </Button>
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" verticalSpacing="xs">
        {types.map((type) => (
          <Checkbox key={type} size="sm" value={type} label={type} description={eventDescriptions[type]} />
        ))}
      </SimpleGrid>
    </fieldset>
  );
}

/** What the form of a new webhook contains. The mode cannot be changed later. */
export function toNewValues(mode: Mode) {
  return {
    url: '',
    events: [] as SelectableType[],
    description: '',
    domain_ids: [] as string[],
    tags: [] as string[],
    mode,
  };
}

type WebhookValues = ReturnType<typeof toNewValues>;

export function toValues({ url, events, description, domain_ids, tags, mode }: Webhook): WebhookValues {
  return { url, events: events as SelectableType[], description, domain_ids: domain_ids ?? [], tags: tags ?? [], mode };
}

/** The settings as in a request. An empty filter means all events. */
export function toSettings({ url, events, description, domain_ids, tags }: WebhookValues) {
  return {
    url: url.trim(),
    events,
    description,
    domain_ids: domain_ids.length > 0 ? domain_ids : null,
    tags: tags.length > 0 ? tags : null,
  };
}
