import { SimpleGrid } from '@mantine/core';
import { TextFilter } from '../ui/text-filter';
import { dateOf, type EmailSearch, type FilterName, isExactTime, isUtcDay } from './email-search';
import { TemplateFilter } from './template-filter';
import { checkFrom, checkTag, toTag } from './typed-filters';

type FieldProps = {
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
};

type Props = {
  readonly search: EmailSearch;
  /** Whether the filters are visible. */
  readonly opened: boolean;
  readonly propsOf: (name: FilterName) => FieldProps;
};

export function ExtraFilters({ search, opened, propsOf }: Props) {
  const tag = propsOf('tag');
  const isUtc = [search.created_after, search.created_before].some((day) => isUtcDay(day ?? ''));
  const datePropsOf = (name: 'created_after' | 'created_before') => {
    const { value, error, onChange } = propsOf(name);
    return {
      error,
      type: 'date' as const,
      value: dateOf(value),
      description: isExactTime(value) ? `From ${value.slice(11, 19)} UTC.` : describeDay(isUtc),
      // Both dates stay in the same time zone.
      onChange: (day: string) => onChange(day !== '' && isUtc ? `${day}Z` : day),
    };
  };
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm">
      <TextFilter label="From" placeholder="shop@example.com" type="email" {...propsOf('from_')} check={checkFrom} />
      <TextFilter
        label="Tag"
        placeholder="name:value"
        {...tag}
        check={checkTag}
        onChange={(text) => tag.onChange(toTag(text))}
      />
      <TextFilter label="Idempotency key" description="Kept for 24 hours." {...propsOf('idempotency_key')} />
      <TemplateFilter enabled={opened} {...propsOf('template_id')} />
      <TextFilter label="Accepted from" {...datePropsOf('created_after')} />
      <TextFilter label="Accepted until" {...datePropsOf('created_before')} />
    </SimpleGrid>
  );
}

function describeDay(isUtc: boolean): string {
  return isUtc ? 'A day in UTC.' : `A day in your time zone, ${Intl.DateTimeFormat().resolvedOptions().timeZone}.`;
}
