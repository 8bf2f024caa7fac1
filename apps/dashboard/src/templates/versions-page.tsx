import { Button, Grid, Skeleton } from '@mantine/core';
import type { Template } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { IconPencil } from '../ui/icons';
import { Loaded } from '../ui/loaded';
import { Page } from '../ui/page';
import { templateQuery, versionsQuery } from './queries';
import { VersionList } from './versions/version-list';
import { VersionSection } from './versions/version-section';

const page = getRouteApi('/app-layout/templates/$id/versions');

export function VersionsPage() {
  const { id } = page.useParams();
  const query = useQuery(templateQuery(id));
  return (
    <Page
      title={query.data ? `Versions of ${query.data.name}` : 'Versions'}
      description="Each email keeps the version it was accepted with. The name is not part of a version."
      actions={
        <Button
          variant="default"
          leftSection={<IconPencil size={16} />}
          renderRoot={(props) => <Link {...props} to="/templates/$id" params={{ id }} />}
        >
          Edit template
        </Button>
      }
    >
      <Loaded query={query} skeleton={<VersionsSkeleton />}>
        {(template) => <Versions template={template} />}
      </Loaded>
    </Page>
  );
}

/** The list of versions, and beside it the selected one. */
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
