import { Button, Checkbox, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { type EventGroup, eventGroups, type SelectableType, selectableTypes } from './event-groups';

type Props = {
  readonly value: SelectableType[];
  readonly error?: ReactNode;
  /** Where the form moves the focus if there is an error. */
  readonly 'data-path'?: string;
  readonly onChange: (types: SelectableType[]) => void;
};

/** Checkboxes for the types of events in groups, with buttons that select all of a group or of all groups. */
export function EventChoice({ value, onChange, 'data-path': path, ...props }: Props) {
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
          <Text size="sm" c="dimmed">
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
        {eventGroups.map((group) => (
          <TypesOfGroup key={group.label} group={group} value={value} onChange={onChange} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

type GroupProps = Pick<Props, 'value' | 'onChange'> & { readonly group: EventGroup };

function TypesOfGroup({ group: { label, noun, types }, value, onChange }: GroupProps) {
  const names = types.map(({ type }) => type);
  const others = value.filter((type) => !names.includes(type));
  const hasAll = names.every((name) => value.includes(name));
  return (
    <fieldset className="plain">
      <legend>
        <Text span size="sm" fw={600}>
          {label}
        </Text>
      </legend>
      {names.length > 1 && (
        <Button
          size="compact-xs"
          variant="subtle"
          ms={-6}
          mb={4}
          onClick={() => onChange(hasAll ? others : [...others, ...names])}
        >
          {hasAll ? `Clear ${noun} events` : `Select ${noun} events`}
        </Button>
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" verticalSpacing="xs">
        {types.map(({ type, description }) => (
          <Checkbox key={type} size="sm" value={type} label={type} description={description} />
        ))}
      </SimpleGrid>
    </fieldset>
  );
}
