import { Tabs, type TabsProps } from '@mantine/core';
import type { ReactNode } from 'react';

export type Tab = { readonly name: string; readonly label: string; readonly content: ReactNode };

type TabViewProps = Pick<TabsProps, 'value' | 'onChange'> & {
  readonly tabs: readonly Tab[];
  readonly gap?: 'sm' | 'md' | 'lg';
  readonly 'aria-label'?: string;
};

/** Tabs and the content of the open one, which is the first unless `value` names another. */
export function TabView({ tabs, gap = 'md', 'aria-label': label, ...props }: TabViewProps) {
  return (
    <Tabs defaultValue={tabs[0]?.name ?? null} keepMounted={false} {...props}>
      <Tabs.List mb={gap} aria-label={label}>
        {tabs.map(({ name, label }) => (
          <Tabs.Tab key={name} value={name}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ name, content }) => (
        <Tabs.Panel key={name} value={name}>
          {content}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
