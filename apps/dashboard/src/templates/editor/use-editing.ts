import type { CreateTemplateRequest, Template } from '@posthorn/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useSession } from '../../accounts/session';
import { useApiForm } from '../../ui/use-api-form';
import { templateQuery, templatesKey } from '../queries';
import { UNSAVED } from '../samples/use-samples';
import { emptyTemplate, fieldsOf, sameFields } from '../template-texts';
import { draftKey, dropDraft, keepDraft, readDraft } from './draft';
import { saveTemplate } from './save-template';
import { useUnsavedGuard } from './use-unsaved-guard';

/**
 * A template's fields while they are edited. Leaving them unsaved is asked about; where the session ends
 * meanwhile they are there again after the next log-in.
 * @param onCreated has the template that was stored for the first time
 */
export function useEditing(template: Template | null, onCreated: (template: Template) => void) {
  const queryClient = useQueryClient();
  const { user } = useSession();
  const key = draftKey(user.id, template?.id ?? UNSAVED);
  const [draft] = useState(() => readDraft(key));
  useEffect(() => dropDraft(key), [key]);
  const [base, setBase] = useState(template && { ...template, version: draft?.version ?? template.version });
  const saved = base === null ? emptyTemplate : fieldsOf(base);

  const { form, ...rest } = useApiForm({
    initialValues: draft?.fields ?? saved,
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

  const changed = !sameFields(form.values, saved);
  useUnsavedGuard(changed, () => keepDraft(key, { version: base?.version ?? null, fields: form.getValues() }));

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

  return { ...rest, form, base, load, changed };
}
