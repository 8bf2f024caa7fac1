import { Button, Group } from '@mantine/core';
import { IconArrowLeft, IconArrowRight } from './icons';
import { ButtonLink } from './links';
import classes from './pager.module.css';
import type { Cursor } from './search';

type PagerProps = {
  /** The plural noun of the list: `templates`. */
  readonly what: string;
  readonly cursor: Cursor;
  readonly hasMore: boolean;
  readonly rows: ReadonlyArray<{ readonly id: string }>;
  /** Where the newer and the older page begin, if not at the first and the last row. */
  readonly first?: string | undefined;
  readonly last?: string | undefined;
};

/** Links to the newer and older pages of a list. Hidden when there is only one page. */
export function Pager({ what, cursor, hasMore, rows, first = rows[0]?.id, last = rows.at(-1)?.id }: PagerProps) {
  const isFirstPage = cursor.after === undefined && cursor.before === undefined;
  const hasReachedNewest = cursor.before !== undefined && !hasMore;
  const hasOlder = cursor.before === undefined ? hasMore : true;
  if (isFirstPage && !hasOlder) return null;
  return (
    <Group component="nav" aria-label={`Pagination for ${what}`} justify="space-between">
      <PagerButton
        label="Newer"
        icon="left"
        cursor={isFirstPage ? null : { after: undefined, before: hasReachedNewest ? undefined : first }}
      />
      <PagerButton label="Older" icon="right" cursor={hasOlder ? { after: last, before: undefined } : null} />
    </Group>
  );
}

type PagerButtonProps = { readonly label: string; readonly icon: 'left' | 'right'; readonly cursor: Cursor | null };

function PagerButton({ label, icon, cursor }: PagerButtonProps) {
  const style = {
    variant: 'default',
    ...(icon === 'left'
      ? { leftSection: <IconArrowLeft size={16} /> }
      : { rightSection: <IconArrowRight size={16} /> }),
  };
  if (cursor === null) {
    return (
      <Button {...style} disabled>
        {label}
      </Button>
    );
  }
  return (
    <ButtonLink {...style} to="." search={(search) => ({ ...search, ...cursor })}>
      {label}
    </ButtonLink>
  );
}

type ShowOlderButtonProps = { readonly what: string; readonly isLoading: boolean; readonly onClick: () => void };

export function ShowOlderButton({ what, isLoading, onClick }: ShowOlderButtonProps) {
  return (
    <Button variant="default" size="xs" my="sm" loading={isLoading} onClick={onClick}>
      Show older {what}
    </Button>
  );
}

type NewRowsButtonProps = {
  readonly count: number;
  /** The noun of the list: `email` and `emails`. */
  readonly one: string;
  readonly many: string;
  readonly onShow: () => void;
};

/** New rows wait behind this button, so that they do not push down the rows that the user is reading. */
export function NewRowsButton({ count, one, many, onShow }: NewRowsButtonProps) {
  return (
    <div role="status" className={classes.place}>
      {count > 0 && (
        <Button className={classes.button} size="compact-sm" radius="xl" onClick={onShow}>
          {count === 1 ? `Show 1 new ${one}` : `Show ${count} new ${many}`}
        </Button>
      )}
    </div>
  );
}
