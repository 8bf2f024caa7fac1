import { Tabs } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { findLinks } from './find-links';
import { HtmlView } from './html-view';
import { Links } from './links';
import { Source } from './source';
import { WholeMessage } from './whole-message';

export type MessageTab = { readonly name: string; readonly label: string; readonly content: ReactNode };

type Props = {
  readonly html: string | null;
  readonly text: string | null;
  /** Where the API serves the whole message. */
  readonly path: string;
  /** The name of the message's file when it is saved. */
  readonly filename: string;
  /** Tabs that come before the one with the whole message. */
  readonly more: readonly MessageTab[];
  /** The name of the open tab. Any other value opens the first tab. */
  readonly open: string | undefined;
  readonly onOpen: (name: string) => void;
};

/** One message in every form: as a mail program shows it, its parts, and what mail servers receive. */
export function MessageTabs({ html, text, path, filename, more, open, onOpen }: Props) {
  const urls = useMemo(() => findLinks(html, text), [html, text]);
  const tabs: readonly MessageTab[] = [
    ...(html
      ? [
          { name: 'html', label: 'HTML', content: <HtmlView html={html} path={path} /> },
          { name: 'source', label: 'HTML source', content: <Source value={html} format="HTML" /> },
        ]
      : []),
    ...(text ? [{ name: 'text', label: 'Text', content: <Source value={text} format="text" /> }] : []),
    ...(urls.length > 0 ? [{ name: 'links', label: 'Links', content: <Links urls={urls} /> }] : []),
    ...more,
    { name: 'message', label: 'Message', content: <WholeMessage path={path} filename={filename} /> },
  ];
  const shown = tabs.find(({ name }) => name === open) ?? tabs[0];
  return (
    <Tabs value={shown?.name ?? null} onChange={(name) => name !== null && onOpen(name)} keepMounted={false}>
      <Tabs.List mb="md">
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
