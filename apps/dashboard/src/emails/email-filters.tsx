import { Button, Collapse, Group, SimpleGrid, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { emailStatuses } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { templateNamesQuery } from '../templates/queries';
import { FilterBar, SelectFilter, type SelectFilterProps, TextFilter } from '../ui/filters';
import { listOptions } from '../ui/format';
import { IconAdjustmentsHorizontal } from '../ui/icons';
import { notifyDone } from '../ui/notify';
import {
  type EmailSearch,
  extraFilters,
  type FilterName,
  findDates,
  findPeriod,
  hasFilters,
  isExactTime,
  isUtcDay,
  listPeriods,
  toInputDate,
} from './email-search';
import { checkFrom, checkTag, checkTo, findFilterError, isSearchedInstead, toTag } from './typed-filters';

type EmailFiltersProps = {
  readonly search: EmailSearch;
  readonly error: Error | null;
  readonly onChange: (filters: Partial<Record<FilterName, string>>) => void;
  readonly onReset: () => void;
};

export function EmailFilters({ search, error, onChange, onReset }: EmailFiltersProps) {
  const activeExtras = extraFilters.filter((name) => search[name]).length;
  const [opened, { toggle }] = useDisclosure(activeExtras > 0);
  const panel = useId();
  const getFilterProps = (name: FilterName) => ({
    value: search[name] ?? '',
    error: findFilterError(error, name),
    onChange: (value: string) => onChange({ [name]: value }),
  });
  const changeTo = (to: string) => {
    if (!isSearchedInstead(to)) return onChange({ to });
    notifyDone(`The To filter needs a full address, so the list shows emails with “${to}” in a recipient or subject.`);
    return onChange({ q: to, to: '' });
  };
  const changePeriod = (period: string) => {
    const dates = findDates(period);
    if (dates) onChange(dates);
  };
  return (
    <Stack component="search" gap="sm">
      <FilterBar>
        <TextFilter label="Search" placeholder="Recipient, subject or ID" {...getFilterProps('q')} />
        <TextFilter
          label="To"
          placeholder="jane@example.com"
          type="email"
          {...getFilterProps('to')}
          check={(to) => checkTo(to, search)}
          isMoved={isSearchedInstead}
          onChange={changeTo}
        />
        <SelectFilter label="Status" options={listOptions(emailStatuses)} {...getFilterProps('status')} />
        <SelectFilter label="Period" options={listPeriods(search)} value={findPeriod(search)} onChange={changePeriod} />
        <Group gap="xs" mt={{ base: 0, sm: 24 }}>
          <Button
            variant="default"
            onClick={toggle}
            aria-expanded={opened}
            aria-controls={panel}
            leftSection={<IconAdjustmentsHorizontal size={16} />}
          >
            {activeExtras > 0 ? `More filters (${activeExtras})` : 'More filters'}
          </Button>
          {hasFilters(search) && (
            <Button variant="subtle" onClick={onReset}>
              Reset
            </Button>
          )}
        </Group>
      </FilterBar>
      <Collapse expanded={opened} id={panel}>
        <ExtraFilters search={search} opened={opened} getFilterProps={getFilterProps} />
      </Collapse>
    </Stack>
  );
}

type FieldProps = Pick<SelectFilterProps, 'value' | 'error' | 'onChange'>;

type ExtraFiltersProps = {
  readonly search: EmailSearch;
  readonly opened: boolean;
  readonly getFilterProps: (name: FilterName) => FieldProps;
};

function ExtraFilters({ search, opened, getFilterProps }: ExtraFiltersProps) {
  const tag = getFilterProps('tag');
  const isUtc = [search.created_after, search.created_before].some((day) => isUtcDay(day ?? ''));
  const getDateProps = (name: 'created_after' | 'created_before') => {
    const { value, error, onChange } = getFilterProps(name);
    return {
      error,
      type: 'date' as const,
      value: toInputDate(value),
      description: isExactTime(value) ? `From ${value.slice(11, 19)} UTC.` : describeDay(isUtc),
      // Both dates stay in the same time zone.
      onChange: (day: string) => onChange(day !== '' && isUtc ? `${day}Z` : day),
    };
  };
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm">
      <TextFilter
        label="From"
        placeholder="shop@example.com"
        type="email"
        {...getFilterProps('from_')}
        check={checkFrom}
      />
      <TextFilter
        label="Tag"
        placeholder="name:value"
        {...tag}
        check={checkTag}
        onChange={(text) => tag.onChange(toTag(text))}
      />
      <TextFilter label="Idempotency key" description="Kept for 24 hours." {...getFilterProps('idempotency_key')} />
      <TemplateFilter enabled={opened} {...getFilterProps('template_id')} />
      <TextFilter label="Accepted from" {...getDateProps('created_after')} />
      <TextFilter label="Accepted until" {...getDateProps('created_before')} />
    </SimpleGrid>
  );
}

function describeDay(isUtc: boolean): string {
  return isUtc ? 'A day in UTC.' : `A day in your time zone, ${Intl.DateTimeFormat().resolvedOptions().timeZone}.`;
}

type TemplateFilterProps = FieldProps & {
  /** Whether the filter is visible. The names load only then. */
  readonly enabled: boolean;
};

function TemplateFilter({ enabled, ...props }: TemplateFilterProps) {
  const { data = [] } = useQuery({ ...templateNamesQuery, enabled });
  return (
    <SelectFilter label="Template" options={data.map(({ id, name }) => ({ value: id, label: name }))} {...props} />
  );
}
