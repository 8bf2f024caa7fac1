import { Button, Group } from '@mantine/core';
import { IconArrowLeft, IconArrowRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Cursor } from './cursor';

type Props = {
  /** What is listed, for people: `templates`. */
  readonly what: string;
  readonly cursor: Cursor;
  readonly hasMore: boolean;
  /** The cursors of the first and the last entry that is shown. */
  readonly first: string | undefined;
  readonly last: string | undefined;
};

/** Links to the newer and the older page of a list; nothing when there is only one page. */
export function Pager({ what, cursor, hasMore, first, last }: Props) {
  const begins = cursor.after === undefined && cursor.before === undefined;
  const newest = cursor.before !== undefined && !hasMore;
  const older = cursor.before === undefined ? hasMore : true;
  if (begins && !older) return null;
  return (
    <Group component="nav" aria-label={`Pages of ${what}`} justify="space-between">
      <Step
        label="Newer"
        icon="left"
        cursor={begins ? null : { after: undefined, before: newest ? undefined : first }}
      />
      <Step label="Older" icon="right" cursor={older ? { after: last, before: undefined } : null} />
    </Group>
  );
}

type StepProps = { readonly label: string; readonly icon: 'left' | 'right'; readonly cursor: Cursor | null };

function Step({ label, icon, cursor }: StepProps) {
  const look = {
    variant: 'default',
    ...(icon === 'left'
      ? { leftSection: <IconArrowLeft size={16} /> }
      : { rightSection: <IconArrowRight size={16} /> }),
  };
  if (cursor === null) {
    return (
      <Button {...look} disabled>
        {label}
      </Button>
    );
  }
  return (
    <Button
      {...look}
      renderRoot={(props) => <Link {...props} to="." search={(search) => ({ ...search, ...cursor })} />}
    >
      {label}
    </Button>
  );
}
