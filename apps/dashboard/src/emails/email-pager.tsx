import { Button, Group, NativeSelect } from '@mantine/core';
import type { EmailSummary } from '@posthorn/contract';
import { useNavigate } from '@tanstack/react-router';
import { IconDownload } from '../ui/icons';
import type { LiveList } from '../ui/live-list';
import { Pager } from '../ui/pager';
import { type EmailSearch, isTextSearch, toCsvQuery } from './email-search';
import { emailsPath } from './get-emails';

type Props = { readonly search: EmailSearch; readonly list: LiveList<EmailSummary> };

export function EmailPager({ search, list: { rows, hasMore, nextCursor } }: Props) {
  const navigate = useNavigate();
  const resize = (limit: string) =>
    navigate({ to: '/emails', search: { ...search, after: undefined, before: undefined, limit } });
  // A search may have looked further than the last email that it found.
  const edge = isTextSearch(search) ? nextCursor : null;
  const first = (search.before && edge) || rows[0]?.id;
  const last = (!search.before && edge) || rows.at(-1)?.id;
  return (
    <>
      <Pager what="emails" cursor={search} hasMore={hasMore} first={first} last={last} />
      <Group justify="space-between">
        <Button
          component="a"
          href={`${emailsPath}${toCsvQuery(search)}`}
          download="emails.csv"
          variant="default"
          size="xs"
          leftSection={<IconDownload size={14} />}
        >
          Download CSV
        </Button>
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
