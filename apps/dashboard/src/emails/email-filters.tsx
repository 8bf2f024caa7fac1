import { Button, Collapse, Group, SimpleGrid, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import { useId } from 'react';
import classes from './email-filters.module.css';
import { type EmailSearch, type FilterName, hasFilters } from './email-search';
import { FilterChoice } from './filter-choice';
import { faultOf } from './filter-faults';
import { FilterText } from './filter-text';
import { statusChoices } from './status-words';
import { TemplateChoice } from './template-choice';

type Props = {
  readonly search: EmailSearch;
  /** What the API has to say about the filters. */
  readonly error: Error | null;
  readonly onChange: (name: FilterName, value: string) => void;
  readonly onReset: () => void;
};

const further: readonly FilterName[] = ['from_', 'tag', 'template_id', 'created_after', 'created_before'];

export function EmailFilters({ search, error, onChange, onReset }: Props) {
  const used = further.filter((name) => search[name]).length;
  const [opened, { toggle }] = useDisclosure(used > 0);
  const panel = useId();
  const of = (name: FilterName) => ({
    value: search[name] ?? '',
    error: faultOf(error, name),
    onChange: (value: string) => onChange(name, value),
  });
  return (
    <Stack component="search" gap="sm">
      <Group align="flex-start" gap="sm" className={classes.main}>
        <FilterText label="To" placeholder="jane@example.com" type="email" {...of('to')} />
        <FilterChoice label="State" choices={statusChoices} {...of('status')} />
        <Group gap="xs" mt={{ base: 0, sm: 24 }}>
          <Button
            variant="default"
            onClick={toggle}
            aria-expanded={opened}
            aria-controls={panel}
            leftSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}
          >
            {used > 0 ? `More filters (${used})` : 'More filters'}
          </Button>
          {hasFilters(search) && (
            <Button variant="subtle" onClick={onReset}>
              Reset
            </Button>
          )}
        </Group>
      </Group>
      <Collapse expanded={opened} id={panel}>
        <SimpleGrid cols={{ base: 1, xs: 2, md: 5 }} spacing="sm">
          <FilterText label="From" placeholder="shop@example.com" type="email" {...of('from_')} />
          <FilterText label="Tag" placeholder="name:value" {...of('tag')} />
          <TemplateChoice enabled={opened} {...of('template_id')} />
          <FilterText label="Accepted from" type="date" {...of('created_after')} />
          <FilterText label="Accepted until" type="date" {...of('created_before')} />
        </SimpleGrid>
      </Collapse>
    </Stack>
  );
}
