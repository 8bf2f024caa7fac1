import { Box, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Loaded } from '../ui/loaded';
import { Page } from '../ui/page';
import { templateQuery } from './queries';
import { TemplateEditor } from './template-editor';
import { TwoPanes } from './two-panes';

const page = getRouteApi('/app-layout/templates/$id');

export function TemplatePage() {
  const { id } = page.useParams();
  const query = useQuery(templateQuery(id));
  if (query.data !== undefined) return <TemplateEditor key={id} template={query.data} />;
  return (
    <Box __vars={{ '--page-width': '100rem' }}>
      <Page title="Template">
        <Loaded query={query} skeleton={<EditorSkeleton />}>
          {() => null}
        </Loaded>
      </Page>
    </Box>
  );
}

function EditorSkeleton() {
  return <TwoPanes editor={<Skeleton height="60rem" />} preview={<Skeleton height="40rem" />} />;
}

export function NewTemplatePage() {
  return <TemplateEditor template={null} />;
}
