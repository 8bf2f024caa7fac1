import { Tabs } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useId, useState } from 'react';
import classes from './two-panes.module.css';

export function TwoPanes({ editor, preview }: { readonly editor: ReactNode; readonly preview: ReactNode }) {
  const id = useId();
  const [chosen, choose] = useState<string | null>('edit');
  const wide = useMediaQuery('(min-width: 68em)', undefined, { getInitialValueInEffect: false });
  // Both stay mounted, because an unmounted editor loses its undo history and cursor.
  const pane = (name: string) =>
    wide
      ? { className: classes.pane }
      : {
          className: classes.pane,
          role: 'tabpanel',
          id: `${id}-panel-${name}`,
          'aria-labelledby': `${id}-tab-${name}`,
          hidden: chosen !== name,
        };
  return (
    <div>
      {!wide && (
        <Tabs id={id} value={chosen} onChange={choose} mb="md">
          <Tabs.List grow>
            <Tabs.Tab value="edit">Edit</Tabs.Tab>
            <Tabs.Tab value="preview">Preview</Tabs.Tab>
          </Tabs.List>
        </Tabs>
      )}
      <div className={wide ? classes.beside : undefined}>
        <div {...pane('edit')}>{editor}</div>
        <div {...pane('preview')}>
          <div className={wide ? classes.sticky : undefined}>{preview}</div>
        </div>
      </div>
    </div>
  );
}
