import { NavLink, Stack } from '@mantine/core';
import type { List, TemplateVersionSummary } from '@posthorn/contract';
import { Link } from '@tanstack/react-router';
import type { Cursor } from '../../ui/cursor';
import { Pager } from '../../ui/pager';
import { Section } from '../../ui/section';
import { RelativeTime } from '../../ui/timestamp';

type Props = {
  readonly list: List<TemplateVersionSummary>;
  readonly cursor: Cursor;
  readonly selected: number;
  readonly current: number;
};

export function VersionList({ list: { data, has_more }, cursor, selected, current }: Props) {
  const cursorOf = (version: TemplateVersionSummary | undefined) => version && String(version.version);
  return (
    <Section title="Versions">
      <Stack gap="sm">
        <nav aria-label="Versions">
          {data.map(({ version, created_at }) => (
            <NavLink
              key={version}
              renderRoot={(props) => (
                <Link {...props} to="." search={(search) => ({ ...search, version: String(version) })} />
              )}
              label={version === current ? `Version ${version}, current` : `Version ${version}`}
              description={<RelativeTime value={created_at} inLink />}
              active={version === selected}
              {...(version === selected && { 'aria-current': 'true' as const })}
            />
          ))}
        </nav>
        <Pager
          what="versions"
          cursor={cursor}
          hasMore={has_more}
          first={cursorOf(data[0])}
          last={cursorOf(data.at(-1))}
        />
      </Stack>
    </Section>
  );
}
