import { Group, NativeSelect } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Pager } from '../ui/pager';
import type { EmailSearch } from './email-search';
import type { LiveList } from './live-list';

type Props = { readonly search: EmailSearch; readonly list: LiveList };

export function EmailPager({ search, list: { rows, hasMore } }: Props) {
  const navigate = useNavigate();
  const resize = (limit: string) =>
    navigate({ to: '/emails', search: { ...search, after: undefined, before: undefined, limit } });
  return (
    <>
      <Pager what="emails" cursor={search} hasMore={hasMore} first={rows[0]?.id} last={rows.at(-1)?.id} />
      <Group justify="flex-end">
        <NativeSelect
          label="Emails per page"
          data={['20', '50', '100']}
          value={search.limit ?? '20'}
          onChange={({ currentTarget }) => resize(currentTarget.value)}
          styles={{ root: { display: 'flex', alignItems: 'center', gap: '0.5rem' } }}
          size="xs"
        />
      </Group>
    </>
  );
}
