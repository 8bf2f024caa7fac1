import { Box, Button, Stack } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import type { Template } from '@posthorn/contract';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useId } from 'react';
import { ApiForm } from '../../ui/api-form';
import { Page } from '../../ui/page';
import { ProblemAlert } from '../../ui/problem-alert';
import { DefaultsDialog } from '../defaults-dialog';
import { LivePreviewSection } from '../preview/live-preview-section';
import { usePreview } from '../preview/use-preview';
import { templateQuery, templatesKey } from '../queries';
import { SampleFields } from '../samples/sample-fields';
import { declaredSamples } from '../samples/samples';
import { moveSamples, UNSAVED, useSamples } from '../samples/use-samples';
import { SendSection } from '../send-section';
import { contentOf, emptyTemplate, hasSameFields } from '../template-content';
import { TestSendButton } from '../test-send/test-send-button';
import { exampleTemplate } from './example-template';
import { NewerVersion } from './newer-version';
import { SaveStatus } from './save-status';
import { TemplateFields } from './template-fields';
import { TwoPanes } from './two-panes';
import { useTemplateForm } from './use-template-form';

/** @param template the stored version, which may be newer than the one being edited; null for a new template */
export function TemplateEditor({ template }: { readonly template: Template | null }) {
  const formId = useId();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { form, problem, pending, onSubmit, base, load, changed } = useTemplateForm(template, (created) => {
    moveSamples(created.id);
    void navigate({ to: '/templates/$id', params: { id: created.id }, replace: true, ignoreBlocker: true });
  });
  const [typed, setSample] = useSamples(base?.id ?? UNSAVED);
  const samples = { ...declaredSamples(base?.variables ?? []), ...typed };
  const [editsDefaults, { open: editDefaults, close: closeDefaults }] = useDisclosure();
  const savedNames = base?.variables.map(({ name }) => name) ?? [];
  const onSaved = (saved: Template) => {
    load(saved);
    queryClient.setQueryData(templateQuery(saved.id).queryKey, saved);
    void queryClient.invalidateQueries({ queryKey: templatesKey });
  };
  const preview = usePreview(form.values, samples, savedNames);
  // Works everywhere on the page, including in the editor
  useHotkeys([['mod+S', () => changed && !pending && onSubmit()]], [], true);

  const source = { template: base, changed, content: contentOf(form.values), samples };
  return (
    <Box __vars={{ '--page-width': '100rem' }}>
      <Page
        title={base?.name ?? 'New template'}
        description={<SaveStatus changed={changed} version={base?.version ?? null} />}
        actions={
          <>
            {base !== null && <VersionsLink id={base.id} />}
            {base !== null && base.variables.length > 0 && (
              <Button variant="default" onClick={editDefaults} disabled={changed}>
                Defaults
              </Button>
            )}
            <TestSendButton source={source} />
            <Button type="submit" form={formId} loading={pending} disabled={!changed}>
              Save
            </Button>
          </>
        }
      >
        {base !== null && (
          <DefaultsDialog template={base} opened={editsDefaults} onClose={closeDefaults} onSaved={onSaved} />
        )}
        <NewerVersion stored={template} base={base} onLoad={load} />
        <ProblemAlert error={problem} />
        <TwoPanes
          editor={
            <Stack gap="lg">
              <ApiForm id={formId} onSubmit={onSubmit}>
                <TemplateFields form={form} previewErrors={preview.fieldErrors} />
              </ApiForm>
              <SampleFields
                names={preview.shown?.variables ?? savedNames}
                samples={samples}
                onChange={setSample}
                errors={preview.fieldErrors}
              />
              {base !== null && <SendSection template={base} samples={samples} />}
            </Stack>
          }
          preview={
            <LivePreviewSection
              preview={preview}
              empty={hasSameFields(form.values, emptyTemplate)}
              onExample={() => form.setValues(exampleTemplate)}
            />
          }
        />
      </Page>
    </Box>
  );
}

function VersionsLink({ id }: { readonly id: string }) {
  return (
    <Button variant="default" renderRoot={(props) => <Link {...props} to="/templates/$id/versions" params={{ id }} />}>
      Versions
    </Button>
  );
}
