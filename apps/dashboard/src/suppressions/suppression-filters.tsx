import { Button, Group } from '@mantine/core';
import { SelectFilter } from '../ui/select-filter';
import { TextFilter } from '../ui/text-filter';
import { reasonOptions } from './reasons';
import classes from './suppression-filters.module.css';
import { type FilterName, type SuppressionFilters as Filters, hasFilters } from './suppressions-search';

type Props = {
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
};

export function SuppressionFilters({ filters, onChange }: Props) {
  const propsOf = (name: FilterName) => ({
    value: filters[name] ?? '',
    onChange: (value: string) => onChange({ ...filters, [name]: value || undefined }),
  });
  return (
    <Group component="search" align="flex-start" gap="sm" className={classes.filters}>
      <TextFilter
        label="Address"
        placeholder="jane@example.com"
        type="email"
        check={checkAddress}
        {...propsOf('address')}
      />
      <SelectFilter label="Reason" options={reasonOptions} {...propsOf('reason')} />
      <TextFilter label="Topic" placeholder="newsletter" check={checkTopic} {...propsOf('topic')} />
      {hasFilters(filters) && (
        <Button variant="subtle" mt={{ base: 0, sm: 24 }} onClick={() => onChange({})}>
          Reset
        </Button>
      )}
    </Group>
  );
}

function checkAddress(text: string): string | undefined {
  return text === '' || /^[^\s@]+@[^\s@]+$/.test(text) ? undefined : 'Enter a whole address.';
}

function checkTopic(text: string): string | undefined {
  return /^[a-z0-9_-]{0,64}$/.test(text) ? undefined : 'A topic has only a-z, 0-9, - and _.';
}
