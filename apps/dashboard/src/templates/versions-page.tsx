import { Grid, NavLink, Skeleton, Text } from '@mantine/core';
import type { List, Template, TemplateVersion, TemplateVersionSummary } from '@posthorn/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { request, toPath } from '../api/request';
import { ChangeButton } from '../ui/buttons';
import { IconPencil } from '../ui/icons';
import { ButtonLink } from '../ui/links';
import { Loaded } from '../ui/loaded';
import { Page, Section } from '../ui/page';
import { Pager } from '../ui/pager';
import type { Cursor } from '../ui/search';
import { TabView } from '../ui/tab-view';
import { RelativeTime, Timestamp } from '../ui/timestamp';
import { useChange } from '../ui/use-change';
import { Comparison } from './comparison';
import { PreviewPane } from './preview-pane';
import { templateQuery, templatesKey, templatesPath, versionQuery, versionsQuery } from './queries';
import { useSamples } from './samples';
import { isSameContent, pickContent, previewContent } from './template-content';

const page = getRouteApi('/app-layout/templates/$id/versions');

export function VersionsPage() {
  const { id } = page.useParams();
  const query = useQuery(templateQuery(id));
  return (
    <Page
      title={query.data ? `Versions of ${query.data.name}` : 'Versions'}
      description="Each email keeps the version it was accepted with. The name is not part of a version."
      actions={
        <ButtonLink variant="default" leftSection={<IconPencil size={16} />} to="/templates/$id" params={{ id }}>
          Edit template
        </ButtonLink>
      }
    >
      <Loaded query={query} skeleton={<VersionsSkeleton />}>
        {(template) => <Versions template={template} />}
      </Loaded>
    </Page>
  );
}

function VersionsSkeleton() {
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 4 }}>
        <Skeleton height="24rem" />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 8 }}>
        <Skeleton height="40rem" />
      </Grid.Col>
    </Grid>
  );
}

function Versions({ template }: { readonly template: Template }) {
  const { version, against, ...cursor } = page.useSearch();
  const query = useQuery(versionsQuery(template.id, cursor));
  const selected = version === undefined ? template.version : Number(version);
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 4 }}>
        <Loaded query={query} skeleton={<Skeleton height="24rem" />}>
          {(list) => <VersionList list={list} cursor={cursor} selected={selected} current={template.version} />}
        </Loaded>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 8 }}>
        <VersionSection key={selected} template={template} version={selected} againstCurrent={against === 'current'} />
      </Grid.Col>
    </Grid>
  );
}

type VersionListProps = {
  readonly list: List<TemplateVersionSummary>;
  readonly cursor: Cursor;
  readonly selected: number;
  readonly current: number;
};

function VersionList({ list: { data, has_more }, cursor, selected, current }: VersionListProps) {
  return (
    <Section title="Versions" gap="sm">
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
        rows={data.map(({ version }) => ({ id: String(version) }))}
      />
    </Section>
  );
}

type VersionSectionProps = { readonly template: Template; readonly version: number; readonly againstCurrent: boolean };

function VersionSection({ template, version, againstCurrent }: VersionSectionProps) {
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
          <TabView
            tabs={[
              {
                name: 'changes',
                label: 'Changes',
                content: <Comparison template={template} version={shown} againstCurrent={againstCurrent} />,
              },
              { name: 'preview', label: 'Preview', content: <VersionPreview version={shown} /> },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

function VersionPreview({ version }: { readonly version: TemplateVersion }) {
  const [samples] = useSamples(version.template_id);
  const names = version.variables.map(({ name }) => name);
  const query = useQuery({
    queryKey: ['version-preview', version.template_id, version.version, samples],
    queryFn: () => previewContent(pickContent(version), samples, names),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Loaded query={query} skeleton={<Skeleton height="36rem" />}>
      {(preview) => <PreviewPane preview={preview} />}
    </Loaded>
  );
}

/** Makes the content, defaults and samples of a version a new version. Hidden if that would change nothing. */
function RestoreButton({ template, version }: { readonly template: Template; readonly version: TemplateVersion }) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { id } = template;
  const restore = useChange({
    change: () => request<Template>('POST', `${toPath(templatesPath, id)}/versions/${version.version}/restore`),
    question: {
      title: `Restore version ${version.version}?`,
      text: 'Its subject, HTML, text and defaults become a new version, which new emails use. Earlier versions stay, and emails that were already accepted keep theirs.',
      action: 'Restore',
    },
    onDone: (restored) => {
      queryClient.setQueryData(templateQuery(id).queryKey, restored);
      void navigate({ to: '/templates/$id/versions', params: { id } });
    },
    done: (restored) => `Version ${version.version} was restored as version ${restored.version}.`,
    refresh: [templatesKey],
  });
  if (version.version === template.version) return null;
  const isSame =
    isSameContent(template, version) && JSON.stringify(template.variables) === JSON.stringify(version.variables);
  if (isSame) return <Text>Same as the current version</Text>;
  return <ChangeButton change={restore} label="Restore" />;
}
