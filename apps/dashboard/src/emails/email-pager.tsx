import { Button, Group, NativeSelect } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { type EmailSearch, isFirstPage } from './email-search';
import type { LivePage } from './live-page';

type Props = { readonly search: EmailSearch; readonly page: LivePage };

/** To the next page in either direction, and how many emails one has. */
export function EmailPager({ search, page }: Props) {
  const navigate = useNavigate();
  const { newer, older } = neighbours(search, page);
  return (
    <Group justify="space-between" component="nav" aria-label="Pages">
      <NativeSelect
        label="Emails a page"
        data={['20', '50', '100']}
        value={search.limit ?? '20'}
        onChange={({ currentTarget }) =>
          navigate({ to: '/emails', search: { ...withoutPlace(search), limit: currentTarget.value } })
        }
        styles={{ root: { display: 'flex', alignItems: 'center', gap: '0.5rem' } }}
        size="xs"
      />
      <Group gap="xs">
        <Step to={newer}>
          <IconChevronLeft size={16} aria-hidden /> Newer
        </Step>
        <Step to={older}>
          Older <IconChevronRight size={16} aria-hidden />
        </Step>
      </Group>
    </Group>
  );
}

function Step({ to, children }: { readonly to: EmailSearch | null; readonly children: React.ReactNode }) {
  if (to === null) {
    return (
      <Button variant="default" disabled>
        {children}
      </Button>
    );
  }
  return (
    <Button variant="default" renderRoot={(props) => <Link to="/emails" search={to} {...props} />}>
      {children}
    </Button>
  );
}

/** `hasMore` speaks of the direction that was asked for; the other has at least the page we come from. */
function neighbours(search: EmailSearch, { rows, hasMore }: LivePage) {
  const all = withoutPlace(search);
  const goesNewer = Boolean(search.before);
  const before = rows[0]?.id;
  const after = rows.at(-1)?.id;
  const newer = goesNewer && !hasMore ? all : { ...all, before };
  return {
    newer: isFirstPage(search) ? null : newer,
    older: after !== undefined && (goesNewer || hasMore) ? { ...all, after } : null,
  };
}

function withoutPlace({ after: _after, before: _before, ...all }: EmailSearch): EmailSearch {
  return all;
}
