import type { CreateTemplateRequest, Template } from '@posthorn/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApiForm } from '../../ui/use-api-form';
import { templateQuery, templatesKey } from '../queries';
import { emptyTemplate, fieldsOf, sameFields } from '../template-texts';
import { saveTemplate } from './save-template';

/**
 * A template's fields while they are edited.
 * @param onCreated has the template that was stored for the first time
 */
export function useEditing(template: Template | null, onCreated: (template: Template) => void) {
  const queryClient = useQueryClient();
  const [base, setBase] = useState(template);
  const saved = base === null ? emptyTemplate : fieldsOf(base);

  const { form, ...rest } = useApiForm({
    initialValues: saved,
    submit: (fields: CreateTemplateRequest) => saveTemplate(base, fields),
    onDone(saving, submitted) {
      if (saving === null) return;
      queryClient.setQueryData(templateQuery(saving.template.id).queryKey, saving.template);
      void queryClient.invalidateQueries({ queryKey: templatesKey });
      if (base === null) onCreated(saving.template);
      else if (saving.outcome === 'loaded') load(saving.template);
      else keep(saving.template, submitted);
    },
  });

  function load(stored: Template): void {
    setBase(stored);
    form.setValues(fieldsOf(stored));
    form.clearErrors();
  }

  /** What was typed while the texts were on their way to the API stays. */
  function keep(stored: Template, submitted: CreateTemplateRequest): void {
    setBase(stored);
    if (sameFields(form.getValues(), submitted)) form.setValues(fieldsOf(stored));
  }

  return { ...rest, form, base, load, changed: !sameFields(form.values, saved) };
}
