import { Box, SegmentedControl, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { Template, TemplateVersion } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { isApiError } from '../api/request';
import { Loaded } from '../ui/loaded';
import classes from './comparison.module.css';
import { type DiffLine, diffTexts, foldLines, type Row } from './diff-texts';
import { ScrollBox } from './preview-pane';
import { versionQuery } from './queries';
import type { TemplateContent } from './template-content';

type ComparisonProps = {
  readonly template: Template;
  readonly version: TemplateVersion;
  readonly againstCurrent: boolean;
};

/** Compares a version with the previous one, or with the current one to show what a restore would change. */
export function Comparison({ template, version, againstCurrent }: ComparisonProps) {
  const navigate = useNavigate();
  const isCurrent = version.version === template.version;
  const showCurrent = againstCurrent && !isCurrent;
  return (
    <Stack>
      {!isCurrent && (
        <SegmentedControl
          aria-label="Compare with"
          value={showCurrent ? 'current' : 'before'}
          onChange={(value) =>
            void navigate({
              to: '.',
              search: (search) => ({ ...search, against: value === 'current' ? ('current' as const) : undefined }),
              replace: true,
            })
          }
          data={[
            { value: 'before', label: 'Previous version' },
            { value: 'current', label: 'Current version' },
          ]}
        />
      )}
      {showCurrent && <Diffs before={template} after={version} versions={[template.version, version.version]} />}
      {!showCurrent && version.version > 1 && <DiffWithPrevious version={version} />}
      {!showCurrent && version.version === 1 && <Text>This is the first version.</Text>}
    </Stack>
  );
}

function DiffWithPrevious({ version }: { readonly version: TemplateVersion }) {
  const query = useQuery(versionQuery(version.template_id, version.version - 1));
  if (isApiError(query.error, 'not_found')) return <Text>The previous version is no longer stored.</Text>;
  return (
    <Loaded query={query} skeleton={<DiffsSkeleton />}>
      {(before) => <Diffs before={before} after={version} versions={[before.version, version.version]} />}
    </Loaded>
  );
}

/** A line of explanation, and the changes to the subject, HTML and text. */
function DiffsSkeleton() {
  return (
    <Stack>
      <Skeleton height={20} width="60%" />
      <Skeleton height={60} />
      <Skeleton height={260} />
      <Skeleton height={140} />
    </Stack>
  );
}

type DiffsProps = {
  readonly before: TemplateContent;
  readonly after: TemplateContent;
  readonly versions: readonly [number, number];
};

function Diffs({ before, after, versions }: DiffsProps) {
  return (
    <>
      <Text>
        − only in version {versions[0]}, + only in version {versions[1]}
      </Text>
      <TextDiff label="Subject" before={before.subject} after={after.subject} />
      <TextDiff label="HTML" before={before.html_body} after={after.html_body} />
      <TextDiff label="Text" before={before.text_body} after={after.text_body} />
    </>
  );
}

type TextDiffProps = { readonly label: string; readonly before: string; readonly after: string };

function TextDiff({ label, before, after }: TextDiffProps) {
  const rows = useMemo(() => foldLines(diffTexts(before, after)), [before, after]);
  const isSame = before === after;
  return (
    <Box>
      <Title order={3} size="sm" mb={4}>
        {label}
      </Title>
      {isSame ? (
        <Text c="dimmed">No changes</Text>
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
