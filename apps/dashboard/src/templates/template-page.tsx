import { Alert, Box, Button, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useHotkeys } from '@mantine/hooks';
import type { SampleRequest } from '@posthorn/code-samples';
import type { Template, TemplateTexts } from '@posthorn/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useId } from 'react';
import { useSession } from '../accounts/session';
import { ApiForm } from '../ui/api-form';
import { DialogButton } from '../ui/buttons';
import { CodeSamples } from '../ui/code-samples';
import { ButtonLink, InlineLink } from '../ui/links';
import { ProblemAlert } from '../ui/loaded';
import { LoadedPage, Page, Section } from '../ui/page';
import { CodeField } from './code-field';
import { DefaultsForm } from './defaults-form';
import { LivePreviewSection, usePreview } from './live-preview';
import { templateQuery, templatesKey } from './queries';
import { getDeclaredSamples, getSample, moveSamples, SampleFields, type Samples, UNSAVED, useSamples } from './samples';
import { emptyTemplate, hasSameFields, pickContent } from './template-content';
import { TestSendButton } from './test-send';
import { TwoPanes } from './two-panes';
import { useTemplateForm } from './use-template-form';

const page = getRouteApi('/app-layout/templates/$id');

export function TemplatePage() {
  const { id } = page.useParams();
  const skeleton = <TwoPanes editor={<Skeleton height="60rem" />} preview={<Skeleton height="40rem" />} />;
  return (
    <Box __vars={widePage}>
      <LoadedPage title="Template" query={useQuery(templateQuery(id))} skeleton={skeleton}>
        {(template) => <TemplateEditor key={id} template={template} />}
      </LoadedPage>
    </Box>
  );
}

export function NewTemplatePage() {
  return (
    <Box __vars={widePage}>
      <TemplateEditor template={null} />
    </Box>
  );
}

const widePage = { '--page-width': '100rem' };

/** @param template the stored version, which may be newer than the one being edited; null for a new template */
function TemplateEditor({ template }: { readonly template: Template | null }) {
  const formId = useId();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { form, problem, pending, onSubmit, base, load, changed } = useTemplateForm(template, (created) => {
    moveSamples(created.id);
    void navigate({ to: '/templates/$id', params: { id: created.id }, replace: true, ignoreBlocker: true });
  });
  const [typed, setSample] = useSamples(base?.id ?? UNSAVED);
  const samples = { ...getDeclaredSamples(base?.variables ?? []), ...typed };
  const savedNames = base?.variables.map(({ name }) => name) ?? [];
  const onSaved = (saved: Template) => {
    load(saved);
    queryClient.setQueryData(templateQuery(saved.id).queryKey, saved);
    void queryClient.invalidateQueries({ queryKey: templatesKey });
  };
  const preview = usePreview(form.values, samples, savedNames);
  // Works everywhere on the page, including in the editor
  useHotkeys([['mod+S', () => changed && !pending && onSubmit()]], [], true);

  const source = { template: base, changed, content: pickContent(form.values), samples };
  return (
    <Page
      title={base?.name ?? 'New template'}
      description={<SaveStatus changed={changed} version={base?.version ?? null} />}
      actions={
        <>
          {base !== null && <VersionsLink id={base.id} />}
          {base !== null && base.variables.length > 0 && (
            <DialogButton label="Defaults" disabled={changed} title="Defaults and samples" dialog={{ size: 'lg' }}>
              {(close) => <DefaultsForm template={base} onClose={close} onSaved={onSaved} />}
            </DialogButton>
          )}
          <TestSendButton source={source} />
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
  );
}

function VersionsLink({ id }: { readonly id: string }) {
  return (
    <ButtonLink variant="default" to="/templates/$id/versions" params={{ id }}>
      Versions
    </ButtonLink>
  );
}

function SaveStatus({ changed, version }: { readonly changed: boolean; readonly version: number | null }) {
  const saved = version === null ? '' : `Saved as version ${version}`;
  return (
    <Text c="dimmed" role="status">
      {changed ? 'Unsaved changes' : saved}
    </Text>
  );
}

type NewerVersionProps = {
  readonly stored: Template | null;
  readonly base: Template | null;
  readonly onLoad: (template: Template) => void;
};

function NewerVersion({ stored, base, onLoad }: NewerVersionProps) {
  if (stored === null || base === null || stored.version <= base.version) return null;
  return (
    <Alert role="status" color="yellow" title={`Version ${stored.version} was saved elsewhere`}>
      <Group justify="space-between" gap="xs">
        <Text>You are editing version {base.version}. Loading the newer version discards your unsaved changes.</Text>
        <Button variant="default" size="xs" onClick={() => onLoad(stored)}>
          Load version {stored.version}
        </Button>
      </Group>
    </Alert>
  );
}

type TemplateFieldsProps = {
  readonly form: UseFormReturnType<TemplateTexts>;
  /** Preview errors by field. If saving failed too, the errors from saving are shown instead. */
  readonly previewErrors: Readonly<Record<string, string>>;
};

function TemplateFields({ form, previewErrors }: TemplateFieldsProps) {
  const inputProps = (field: keyof TemplateTexts) => ({
    ...form.getInputProps(field),
    error: findError(field),
  });
  const findError = (field: keyof TemplateTexts) => {
    const error = form.errors[field];
    return typeof error === 'string' ? error : previewErrors[field];
  };
  const codeProps = (field: 'html_body' | 'text_body') => ({
    path: field,
    value: form.values[field],
    onChange: (value: string) => form.setFieldValue(field, value),
    error: findError(field),
  });
  return (
    <Section title="Content" gap="md">
      <TextInput
        label="Name"
        description="For you and your colleagues. Recipients never see it."
        required
        {...inputProps('name')}
      />
      <TextInput label="Subject" required {...inputProps('subject')} />
      <CodeField label="HTML" language="html" minHeight="16rem" maxHeight="32rem" {...codeProps('html_body')} />
      <CodeField label="Text" language="text" minHeight="9rem" maxHeight="20rem" {...codeProps('text_body')} />
    </Section>
  );
}

function SendSection({ template, samples }: { readonly template: Template; readonly samples: Samples }) {
  const { user } = useSession();
  return (
    <Section
      title="Send from your program"
      description={
        <>
          This code sends the saved template with the sample values. Set POSTHORN_API_KEY to an{' '}
          <InlineLink to="/api-keys">API key</InlineLink>.
        </>
      }
    >
      <CodeSamples request={buildRequest(location.origin, user.email, template, samples)} />
    </Section>
  );
}

function buildRequest(origin: string, to: string, { id, variables }: Template, samples: Samples): SampleRequest {
  const vars = Object.fromEntries(variables.map(({ name }) => [name, getSample(samples, name)]));
  return {
    method: 'POST',
    url: `${origin}/api/v1/emails`,
    credential: 'key',
    body: { to: [to], template_id: id, template_vars: vars },
    response: 'json',
  };
}

const exampleTemplate: TemplateTexts = {
  name: 'Welcome',
  subject: 'Welcome to {{company}}, {{first_name}}',
  html_body: `<!doctype html>
<html>
  <body style="margin: 0; padding: 24px; background: #f4f5f7; font-family: sans-serif; color: #1f2430">
    <table role="presentation" align="center" width="100%" style="max-width: 560px; background: #ffffff; border-radius: 8px">
      <tr>
        <td style="padding: 32px">
          <h1 style="margin: 0 0 16px; font-size: 22px">Welcome, {{first_name}}</h1>
          <p style="line-height: 1.5">Your account at {{company}} is ready.</p>
          <p style="margin: 24px 0">
            <a href="{{login_url}}" style="padding: 12px 20px; border-radius: 6px; background: #1b3773; color: #ffffff; text-decoration: none">Log in</a>
          </p>
          <p style="line-height: 1.5">If you did not create this account, you can ignore this email.</p>
        </td>
      </tr>
    </table>
  </body>
</html>
`,
  text_body: `Welcome, {{first_name}}

Your account at {{company}} is ready. Log in here:
{{login_url}}

If you did not create this account, you can ignore this email.
`,
};
