import { Input, NativeSelect, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { TemplateVariable } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { templateNamesQuery } from '../template-names-query';
import type { Draft } from './draft';

type Props = { readonly form: UseFormReturnType<Draft>; readonly variables: readonly TemplateVariable[] };

/** The subject and the bodies, or a template with its variables: the API accepts one or the other. */
export function ContentFields({ form, variables }: Props) {
  const { data: templates = [] } = useQuery(templateNamesQuery);
  const templateId = form.values.template_id;
  const isDeleted = templateId !== '' && !templates.some(({ id }) => id === templateId);
  return (
    <>
      <NativeSelect
        label="Template"
        data={[
          { value: '', label: 'No template: write the content here' },
          ...templates.map(({ id, name }) => ({ value: id, label: name })),
          ...(isDeleted ? [{ value: templateId, label: templateId }] : []),
        ]}
        {...form.getInputProps('template_id')}
      />
      {templateId === '' ? (
        <>
          <TextInput label="Subject" required {...form.getInputProps('subject')} />
          <Textarea label="HTML" autosize minRows={6} maxRows={24} {...form.getInputProps('html')} />
          <Textarea
            label="Text"
            description="For mail programs that do not show HTML. An email needs HTML, text or both."
            autosize
            minRows={4}
            maxRows={24}
            {...form.getInputProps('text')}
          />
        </>
      ) : (
        <Variables form={form} variables={variables} />
      )}
    </>
  );
}

function Variables({ form, variables }: Props) {
  if (variables.length === 0) return null;
  return (
    <fieldset className="plain">
      <Input.Label component="legend">Variables</Input.Label>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {variables.map(({ name, default: value, sample }) => (
          <TextInput
            key={name}
            label={name}
            className="breakable"
            placeholder={sample ?? undefined}
            description={value === null ? undefined : 'Filled in with the default.'}
            value={form.values.template_vars[name] ?? value ?? ''}
            onChange={({ currentTarget: { value } }) =>
              form.setFieldValue('template_vars', (values) => ({ ...values, [name]: value }))
            }
          />
        ))}
      </SimpleGrid>
    </fieldset>
  );
}
