import { Skeleton } from '@mantine/core';
import type { TemplateVersion } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../../ui/loaded';
import { previewContent } from '../preview/preview-content';
import { PreviewPane } from '../preview/preview-pane';
import { useSamples } from '../samples/use-samples';
import { contentOf } from '../template-content';

/** Renders a version with the template's sample values from this tab. */
export function VersionPreview({ version }: { readonly version: TemplateVersion }) {
  const [samples] = useSamples(version.template_id);
  const names = version.variables.map(({ name }) => name);
  const query = useQuery({
    queryKey: ['version-preview', version.template_id, version.version, samples],
    queryFn: () => previewContent(contentOf(version), samples, names),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Loaded query={query} skeleton={<Skeleton height="36rem" />}>
      {(preview) => <PreviewPane preview={preview} />}
    </Loaded>
  );
}
