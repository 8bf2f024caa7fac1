import { Button, Group, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { Template, TemplateTexts } from '@posthorn/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useSession } from '../accounts/session';
import { get, request, toPath } from '../api/request';
import { useApiForm } from '../ui/api-form';
import { confirm } from '../ui/notify';
import { templateQuery, templatesKey, templatesPath } from './queries';
import { UNSAVED } from './samples';
import { emptyTemplate, hasSameFields, pickFields } from './template-content';

/**
 * The state of the template editor. It asks before unsaved changes are lost, and restores them after the next
 * login if the session ended.
 * @param onCreated called after the first save of a new template
 */
export function useTemplateForm(template: Template | null, onCreated: (template: Template) => void) {
  const queryClient = useQueryClient();
  const { user } = useSession();
  const key = buildDraftKey(user.id, template?.id ?? UNSAVED);
  const [draft] = useState(() => readDraft(key));
  useEffect(() => sessionStorage.removeItem(key), [key]);
  const [base, setBase] = useState(template && { ...template, version: draft?.version ?? template.version });
  const saved = base === null ? emptyTemplate : pickFields(base);

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
    form.setValues(pickFields(stored));
    form.clearErrors();
  }

  /** Keeps what the user typed while the request was in progress. */
  function applySaved(stored: Template, submitted: TemplateTexts): void {
    setBase(stored);
    if (hasSameFields(form.getValues(), submitted)) form.setValues(pickFields(stored));
  }

  return { ...rest, form, base, load, changed };
}

/**
 * Asks before the user leaves a page with unsaved changes.
 * @param onLoggedOut called without asking when the session has ended, to keep the changes
 */
function useUnsavedGuard(changed: boolean, onLoggedOut: () => void): void {
  useBlocker({
    enableBeforeUnload: () => changed,
    async shouldBlockFn({ current, next }) {
      if (!changed || current.pathname === next.pathname) return false;
      if (next.pathname === '/login') {
        onLoggedOut();
        return false;
      }
      const leave = await confirm({
        title: 'Leave without saving?',
        text: 'Your changes to this template are not saved.',
        action: 'Discard changes',
        dismiss: 'Keep editing',
      });
      return !leave;
    },
  });
}

/** `loaded`: nothing was saved, because the user chose to load the newer version. */
type SaveResult = { readonly outcome: 'saved' | 'loaded'; readonly template: Template };

/**
 * Saves a new version. Asks first if there is a version newer than `base`.
 * @param base the version being edited; null for a new template
 * @returns null if the user closed the dialog
 * @throws ApiError with the field errors
 */
async function saveTemplate(base: Template | null, fields: TemplateTexts): Promise<SaveResult | null> {
  if (base === null) return { outcome: 'saved', template: await request<Template>('POST', templatesPath, fields) };
  const path = toPath(templatesPath, base.id);
  const stored = await get<Template>(path);
  if (stored.version !== base.version) {
    const choice = await openConflictDialog(stored.version);
    if (choice === null) return null;
    if (choice === 'theirs') return { outcome: 'loaded', template: stored };
  }
  return { outcome: 'saved', template: await request<Template>('PATCH', path, fields) };
}

/** `theirs` discards the user's changes. `mine` saves them as the next version. null leaves the conflict unresolved. */
type ConflictChoice = 'theirs' | 'mine' | null;

/** Asks what to do when another member or tab has saved the template since the editor was opened. */
function openConflictDialog(version: number): Promise<ConflictChoice> {
  return new Promise((resolve) => {
    const choose = (choice: ConflictChoice) => {
      resolve(choice);
      modals.close(id);
    };
    const id = modals.open({
      title: 'The template has changed',
      onClose: () => resolve(null),
      children: (
        <Stack>
          <Text>
            Version {version} was saved while you were editing, in another tab or by another member. If you save anyway,
            your changes become the next version, and version {version} stays in the history. If you load version{' '}
            {version}, you lose your changes.
          </Text>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => choose('theirs')}>
              Load version {version}
            </Button>
            <Button onClick={() => choose('mine')}>Save anyway</Button>
          </Group>
        </Stack>
      ),
    });
  });
}

/** Unsaved changes. `version` is the version that was edited; null for a new template. */
type Draft = { readonly version: number | null; readonly fields: TemplateTexts };

/** Includes the user, because the next login in this tab may be someone else's. */
function buildDraftKey(userId: string, templateId: string): string {
  return `posthorn-draft-${userId}-${templateId}`;
}

/** Session storage keeps the draft until the tab closes. */
function saveDraft(key: string, draft: Draft): void {
  sessionStorage.setItem(key, JSON.stringify(draft));
}

function readDraft(key: string): Draft | null {
  const stored = sessionStorage.getItem(key);
  return stored === null ? null : (JSON.parse(stored) as Draft);
}
