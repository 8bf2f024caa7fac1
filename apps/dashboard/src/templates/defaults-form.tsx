import { Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import type { DeclaredVariable, Template, TemplateVariable } from '@posthorn/contract';
import { request, toPath } from '../api/request';
import { DialogForm, useApiForm } from '../ui/api-form';
import { templatesPath } from './queries';

/** A variable in the form. The default counts only if the variable may be left out. */
type Row = { readonly name: string; readonly isOptional: boolean; readonly default: string; readonly sample: string };

type DefaultsFormProps = {
  readonly template: Template;
  readonly onClose: () => void;
  readonly onSaved: (template: Template) => void;
};

/** Edits the defaults and samples of a saved template, which makes a new version. */
export function DefaultsForm({ template, onClose, onSaved }: DefaultsFormProps) {
  const { form, ...state } = useApiForm({
    initialValues: { variables: template.variables.map(toRow) },
    submit: ({ variables }) =>
      request<Template>('PATCH', toPath(templatesPath, template.id), { variables: variables.map(toDeclared) }),
    onDone: (saved) => {
      onSaved(saved);
      onClose();
    },
    done: ({ version }) => `Saved as version ${version}.`,
  });
  return (
    <DialogForm {...state} action="Save" onCancel={onClose}>
      <Text>An email may leave out a variable that has a default. Samples fill the preview and are never sent.</Text>
      {form.values.variables.map(({ name, isOptional }, index) => (
        <fieldset key={name} className="plain">
          <Text component="legend" fw={600} className="breakable">
            {name}
          </Text>
          <Stack gap="xs">
            <Checkbox
              label="May be left out"
              {...form.getInputProps(`variables.${index}.isOptional`, { type: 'checkbox' })}
            />
            <Group grow align="flex-start">
              <TextInput label="Default" disabled={!isOptional} {...form.getInputProps(`variables.${index}.default`)} />
              <TextInput label="Sample" {...form.getInputProps(`variables.${index}.sample`)} />
            </Group>
          </Stack>
        </fieldset>
      ))}
    </DialogForm>
  );
}

function toRow({ name, default: value, sample }: TemplateVariable): Row {
  return { name, isOptional: value !== null, default: value ?? '', sample: sample ?? '' };
}

function toDeclared({ name, isOptional, default: value, sample }: Row): DeclaredVariable {
  return { name, ...(isOptional && { default: value }), ...(sample !== '' && { sample }) };
}
