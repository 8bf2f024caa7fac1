import { Input, Skeleton } from '@mantine/core';
import { lazy, Suspense, useId } from 'react';
import type { CodeEditorProps } from './code-editor';

/** Lazy, because the editor is bigger than the rest of the dashboard. */
const CodeEditor = lazy(() => import('./code-editor').then((module) => ({ default: module.CodeEditor })));

type Props = Pick<CodeEditorProps, 'path' | 'value' | 'onChange' | 'language' | 'minHeight' | 'maxHeight'> & {
  readonly label: string;
  readonly error: string | undefined;
};

export function CodeField({ label, error, ...editor }: Props) {
  const id = useId();
  const ids = { label: `${id}-label`, hint: `${id}-hint`, error: `${id}-error` };
  return (
    <div>
      <Input.Label component="div" id={ids.label} mb={4} required>
        {label}
      </Input.Label>
      <Suspense fallback={<Skeleton height={editor.minHeight} />}>
        <CodeEditor
          {...editor}
          labelledBy={ids.label}
          describedBy={`${ids.error} ${ids.hint}`}
          invalid={error !== undefined}
        />
      </Suspense>
      <Input.Error id={ids.error} mt={4} role="status" className="breakable">
        {error ?? ''}
      </Input.Error>
      <Input.Description id={ids.hint} mt={4}>
        Tab indents. To leave the field with the keyboard, press Escape, then Tab.
      </Input.Description>
    </div>
  );
}
