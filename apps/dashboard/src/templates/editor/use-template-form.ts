import type { Template, TemplateTexts } from '@posthorn/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useSession } from '../../accounts/session';
import { useApiForm } from '../../ui/use-api-form';
import { templateQuery, templatesKey } from '../queries';
import { UNSAVED } from '../samples/use-samples';
import { emptyTemplate, fieldsOf, hasSameFields } from '../template-content';
import { deleteDraft, draftKey, readDraft, saveDraft } from './draft';
import { saveTemplate } from './save-template';
import { useUnsavedGuard } from './use-unsaved-guard';

/**
 * The state of the template editor. It asks before unsaved changes are lost, and restores them after the next
 * login if the session ended.
 * @param onCreated called after the first save of a new template
 */
export function useTemplateForm(template: Template | null, onCreated: (template: Template) => void) {
  const queryClient = useQueryClient();
  const { user } = useSession();
  const key = draftKey(user.id, template?.id ?? UNSAVED);
  const [draft] = useState(() => readDraft(key));
  useEffect(() => deleteDraft(key), [key]);
  const [base, setBase] = useState(template && { ...template, version: draft?.version ?? template.version });
  const saved = base === null ? emptyTemplate : fieldsOf(base);

  const { form, ...rest } = useApiForm({
    initialValues: draft?.fields ?? saved,
    submit: (fields: TemplateTexts) => saveTemplate(base, fields),
    onDone(result, submitted) {
      if (result === null) return;
      queryClient.setQueryData(templateQuery(result.template.id).queryKey, result.template);
      void queryClient.invalidateQueries({ queryKey: templatesKey });
      if (base === null) onCreated(result.template);
      else if (result.outcome === 'loaded') load(result.template);
      else applySaved(result.template, submitted);
    },
  });

  const changed = !hasSameFields(form.values, saved);
  useUnsavedGuard(changed, () => saveDraft(key, { version: base?.version ?? null, fields: form.getValues() }));

  function load(stored: Template): void {
    setBase(stored);
    form.setValues(fieldsOf(stored));
    form.clearErrors();
  }

  /** Keeps what the user typed while the request was in progress. */
  function applySaved(stored: Template, submitted: TemplateTexts): void {
    setBase(stored);
    if (hasSameFields(form.getValues(), submitted)) form.setValues(fieldsOf(stored));
  }

  return { ...rest, form, base, load, changed };
}
