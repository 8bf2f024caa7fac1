import { Button, Collapse, Group, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useId } from 'react';
import { IconAdjustmentsHorizontal } from '../ui/icons';
import { notifyDone } from '../ui/notify';
import { SelectFilter } from '../ui/select-filter';
import { TextFilter } from '../ui/text-filter';
import classes from './email-filters.module.css';
import { datesOf, periodOf, periodOptions } from './email-period';
import { type EmailSearch, extraFilters, type FilterName, hasFilters } from './email-search';
import { statusOptions } from './email-status';
import { ExtraFilters } from './extra-filters';
import { filterError } from './filter-errors';
import { checkTo, isSearchedInstead } from './typed-filters';

type Props = {
  readonly search: EmailSearch;
  /** The API's error about the filters. */
  readonly error: Error | null;
  readonly onChange: (filters: Partial<Record<FilterName, string>>) => void;
  readonly onReset: () => void;
};

export function EmailFilters({ search, error, onChange, onReset }: Props) {
  const activeExtras = extraFilters.filter((name) => search[name]).length;
  const [opened, { toggle }] = useDisclosure(activeExtras > 0);
  const panel = useId();
  const propsOf = (name: FilterName) => ({
    value: search[name] ?? '',
    error: filterError(error, name),
    onChange: (value: string) => onChange({ [name]: value }),
  });
  const changeTo = (to: string) => {
    if (!isSearchedInstead(to)) return onChange({ to });
    notifyDone(`The To filter needs a full address, so the list shows emails with “${to}” in a recipient or subject.`);
    return onChange({ q: to, to: '' });
  };
  const changePeriod = (period: string) => {
    const dates = datesOf(period);
    if (dates) onChange(dates);
  };
  return (
    <Stack component="search" gap="sm">
      <Group align="flex-start" gap="sm" className={classes.main}>
        <TextFilter label="Search" placeholder="Recipient, subject or ID" {...propsOf('q')} />
        <TextFilter
          label="To"
          placeholder="jane@example.com"
          type="email"
          {...propsOf('to')}
          check={(to) => checkTo(to, search)}
          isMoved={isSearchedInstead}
          onChange={changeTo}
        />
        <SelectFilter label="Status" options={statusOptions} {...propsOf('status')} />
        <SelectFilter label="Period" options={periodOptions(search)} value={periodOf(search)} onChange={changePeriod} />
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
      </Group>
      <Collapse expanded={opened} id={panel}>
        <ExtraFilters search={search} opened={opened} propsOf={propsOf} />
      </Collapse>
    </Stack>
  );
}
