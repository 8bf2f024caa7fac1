import { Skeleton, Tabs } from '@mantine/core';
import type { Template } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../../ui/loaded';
import { Section } from '../../ui/section';
import { Timestamp } from '../../ui/timestamp';
import { versionQuery } from '../queries';
import { Comparison } from './comparison';
import { RestoreButton } from './restore-button';
import { VersionPreview } from './version-preview';

type Props = { readonly template: Template; readonly version: number; readonly againstCurrent: boolean };

/** One version: its changes, its preview and a button to restore it. */
export function VersionSection({ template, version, againstCurrent }: Props) {
  const query = useQuery(versionQuery(template.id, version));
  const { data } = query;
  return (
    <Section
      title={`Version ${version}`}
      description={data && <Timestamp value={data.created_at} exact />}
      actions={data && <RestoreButton template={template} version={data} />}
    >
      <Loaded query={query} skeleton={<Skeleton height="32rem" />}>
        {(shown) => (
          <Tabs defaultValue="changes" keepMounted={false}>
            <Tabs.List mb="md">
              <Tabs.Tab value="changes">Changes</Tabs.Tab>
              <Tabs.Tab value="preview">Preview</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="changes">
              <Comparison template={template} version={shown} againstCurrent={againstCurrent} />
            </Tabs.Panel>
            <Tabs.Panel value="preview">
              <VersionPreview version={shown} />
            </Tabs.Panel>
          </Tabs>
        )}
      </Loaded>
    </Section>
  );
}
