import { Box, Text, Title } from '@mantine/core';
import { useMemo } from 'react';
import { ScrollBox } from '../preview/scroll-box';
import type { DiffLine } from './diff-texts';
import { diffTexts } from './diff-texts';
import { foldLines, type Row } from './fold-lines';
import classes from './text-diff.module.css';

type Props = { readonly label: string; readonly before: string; readonly after: string };

/** The changes to one text, with a few lines of context. */
export function TextDiff({ label, before, after }: Props) {
  const rows = useMemo(() => foldLines(diffTexts(before, after)), [before, after]);
  const isSame = before === after;
  return (
    <Box>
      <Title order={3} size="sm" mb={4}>
        {label}
      </Title>
      {isSame ? (
        <Text size="sm" c="dimmed">
          No changes
        </Text>
      ) : (
        <ScrollBox label={`Changes to ${label}`}>
          {rows.map((row) => (
            <DiffRow key={row.at} row={row} />
          ))}
        </ScrollBox>
      )}
    </Box>
  );
}

const lineClasses: Readonly<Record<DiffLine['sign'], string | undefined>> = {
  '+': classes.added,
  '-': classes.removed,
  ' ': undefined,
};

function DiffRow({ row }: { readonly row: Row }) {
  if ('folded' in row) {
    return (
      <div className={classes.folded}>{row.folded === 1 ? '1 unchanged line' : `${row.folded} unchanged lines`}</div>
    );
  }
  const { sign, pieces } = row.line;
  return (
    <div className={`${classes.line} ${lineClasses[sign] ?? ''}`}>
      <span className={classes.sign}>{sign === '-' ? '−' : sign}</span>
      <span>
        {pieces.map(({ text, changed }, index) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line have no ID and never move
          changed ? <mark key={index}>{text}</mark> : text,
        )}
      </span>
    </div>
  );
}
