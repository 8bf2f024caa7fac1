import { Box, Button, Stack } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import type { Template } from '@posthorn/contract';
import { Link, useNavigate } from '@tanstack/react-router';
import { useId } from 'react';
import { ApiForm } from '../../ui/api-form';
import { Page } from '../../ui/page';
import { ProblemAlert } from '../../ui/problem-alert';
import { LivePreviewSection } from '../preview/live-preview-section';
import { usePreview } from '../preview/use-preview';
import { SampleFields } from '../samples/sample-fields';
import { moveSamples, UNSAVED, useSamples } from '../samples/use-samples';
import { SendSection } from '../send-section';
import { emptyTemplate, sameFields, textsOf } from '../template-texts';
import { TestSendButton } from '../test-send/test-send-button';
import { example } from './example';
import { NewerVersion } from './newer-version';
import { SaveState } from './save-state';
import { TemplateFields } from './template-fields';
import { TwoPanes } from './two-panes';
import { useEditing } from './use-editing';

/** @param template as it is stored now, which may be newer than what is edited; null for a new one */
export function TemplateEditor({ template }: { readonly template: Template | null }) {
  const formId = useId();
  const navigate = useNavigate();
  const { form, problem, pending, onSubmit, base, load, changed } = useEditing(template, (created) => {
    moveSamples(created.id);
    void navigate({ to: '/templates/$id', params: { id: created.id }, replace: true, ignoreBlocker: true });
  });
  const [samples, setSample] = useSamples(base?.id ?? UNSAVED);
  const preview = usePreview(form.values, samples, base?.variables ?? []);
  // Everywhere on the page, the editor included
  useHotkeys([['mod+S', () => changed && !pending && onSubmit()]], [], true);

  const tested = { template: base, changed, texts: textsOf(form.values), samples };
  return (
    <Box __vars={{ '--page-width': '100rem' }}>
      <Page
        title={base?.name ?? 'New template'}
        description={<SaveState changed={changed} version={base?.version ?? null} />}
        actions={
          <>
            {base !== null && <VersionsLink id={base.id} />}
            <TestSendButton tested={tested} />
            <Button type="submit" form={formId} loading={pending} disabled={!changed}>
              Save
            </Button>
          </>
        }
      >
        <NewerVersion stored={template} base={base} onLoad={load} />
        <ProblemAlert error={problem} />
        <TwoPanes
          editor={
            <Stack gap="lg">
              <ApiForm id={formId} onSubmit={onSubmit}>
                <TemplateFields form={form} faults={preview.faults} />
              </ApiForm>
              <SampleFields
                names={preview.shown?.variables ?? base?.variables ?? []}
                samples={samples}
                onChange={setSample}
                faults={preview.faults}
              />
              {base !== null && <SendSection template={base} samples={samples} />}
            </Stack>
          }
          preview={
            <LivePreviewSection
              preview={preview}
              empty={sameFields(form.values, emptyTemplate)}
              onExample={() => form.setValues(example)}
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
