import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Loaded } from '../ui/loaded';
import { Page } from '../ui/page';
import { TemplateEditor } from './editor/template-editor';
import { templateQuery } from './queries';

const page = getRouteApi('/app-layout/templates/$id');

export function TemplatePage() {
  const { id } = page.useParams();
  const query = useQuery(templateQuery(id));
  if (query.data !== undefined) return <TemplateEditor key={id} template={query.data} />;
  return (
    <Page title="Template">
      <Loaded query={query} skeleton={<Skeleton height="60rem" />}>
        {() => null}
      </Loaded>
    </Page>
  );
}
