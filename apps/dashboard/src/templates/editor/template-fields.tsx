import { Stack, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { TemplateTexts } from '@posthorn/contract';
import { Section } from '../../ui/section';
import { CodeField } from '../code/code-field';

type Props = {
  readonly form: UseFormReturnType<TemplateTexts>;
  /** Preview errors by field. If saving failed too, the errors from saving are shown instead. */
  readonly previewErrors: Readonly<Record<string, string>>;
};

export function TemplateFields({ form, previewErrors }: Props) {
  const inputProps = (field: keyof TemplateTexts) => ({
    ...form.getInputProps(field),
    error: errorOf(field),
  });
  const errorOf = (field: keyof TemplateTexts) => {
    const error = form.errors[field];
    return typeof error === 'string' ? error : previewErrors[field];
  };
  const codeProps = (field: 'html_body' | 'text_body') => ({
    path: field,
    value: form.values[field],
    onChange: (value: string) => form.setFieldValue(field, value),
    error: errorOf(field),
  });
  return (
    <Section title="Content">
      <Stack>
        <TextInput
          label="Name"
          description="For you and your colleagues. Recipients never see it."
          required
          {...inputProps('name')}
        />
        <TextInput label="Subject" required {...inputProps('subject')} />
        <CodeField label="HTML" language="html" minHeight="16rem" maxHeight="32rem" {...codeProps('html_body')} />
        <CodeField label="Text" language="text" minHeight="9rem" maxHeight="20rem" {...codeProps('text_body')} />
      </Stack>
    </Section>
  );
}
