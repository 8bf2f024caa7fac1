import { Anchor, Group, List, ScrollArea, Skeleton, Stack, Switch, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { DownloadButton } from '../ui/buttons';
import { CodeBlock, CopyButton } from '../ui/copyable';
import { DataTable } from '../ui/data-table';
import { Caption, Fact, Facts } from '../ui/facts';
import { formatBytes } from '../ui/format';
import { HtmlPreview } from '../ui/html-preview';
import { Loaded } from '../ui/loaded';
import { notifyProblem } from '../ui/notify';
import { Section } from '../ui/page';
import { type Tab, TabView } from '../ui/tab-view';
import { embedImages, hasInlineImages } from './inline-images';
import { type FileDescription, findFile, saveFile } from './message-files';
import { type HintedMessage, listHints } from './message-hints';
import { findLinks } from './parse-html';
import { messageQuery, messageSourceQuery } from './queries';

type Attachment = FileDescription & { readonly type: string; readonly size: number };

export type ShownMessage = HintedMessage & {
  /** Where the API serves the whole message, with its headers and files. */
  readonly path: string;
  readonly filename: string;
  readonly attachments: readonly Attachment[];
};

type MessageViewProps = {
  readonly message: ShownMessage;
  readonly removed?: string | undefined;
  readonly hasHints?: boolean;
  readonly more?: readonly Tab[];
  /** The name of the open tab. Any other value opens the first tab. */
  readonly open: string | undefined;
  readonly onOpen: (name: string) => void;
};

/** A message in every form: as a mail program shows it, its parts, what mail servers receive, and its files. */
export function MessageView({ message, removed, hasHints = true, ...tabs }: MessageViewProps) {
  const isRemoved = removed !== undefined;
  return (
    <>
      <Section title="Content">
        {isRemoved ? (
          <Text size="md" c="dimmed">
            {removed}
          </Text>
        ) : (
          <MessageTabs message={message} {...tabs} />
        )}
      </Section>
      {hasHints && !isRemoved && (
        <Section title="Hints">
          <Hints message={message} />
        </Section>
      )}
      {message.attachments.length > 0 && (
        <Section title="Attachments">
          <AttachmentTable files={message.attachments} path={isRemoved ? null : message.path} />
        </Section>
      )}
    </>
  );
}

type MessageTabsProps = Pick<MessageViewProps, 'message' | 'more' | 'open' | 'onOpen'>;

function MessageTabs({ message: { html, text, path, filename }, more = [], open, onOpen }: MessageTabsProps) {
  const urls = useMemo(() => findLinks(html, text), [html, text]);
  const tabs: readonly Tab[] = [
    ...(html
      ? [
          { name: 'html', label: 'HTML', content: <HtmlView html={html} path={path} /> },
          { name: 'source', label: 'HTML source', content: <Source value={html} format="HTML" /> },
        ]
      : []),
    ...(text ? [{ name: 'text', label: 'Text', content: <Source value={text} format="text" /> }] : []),
    ...(urls.length > 0 ? [{ name: 'links', label: 'Links', content: <Links urls={urls} /> }] : []),
    ...more,
    { name: 'headers', label: 'Headers', content: <MessageHeaders path={path} /> },
    { name: 'message', label: 'Message', content: <WholeMessage path={path} filename={filename} /> },
  ];
  const shown = tabs.find(({ name }) => name === open) ?? tabs[0];
  return <TabView tabs={tabs} value={shown?.name ?? null} onChange={(name) => name !== null && onOpen(name)} />;
}

type HtmlViewProps = {
  readonly html: string;
  /** Where the API serves the whole message, with the images that the HTML refers to by `cid:`. */
  readonly path: string;
};

function HtmlView({ html, path }: HtmlViewProps) {
  const [allowRemote, setAllowRemote] = useState(false);
  const { data: message, isLoading } = useQuery({ ...messageQuery(path), enabled: hasInlineImages(html) });
  if (isLoading) return <Skeleton height={560} />;
  const shown = embedImages(html, message?.files ?? []);
  return (
    <Stack gap="sm">
      <Switch
        label="Load remote images"
        description="The servers that host the images will see your IP address and that you opened this email."
        checked={allowRemote}
        onChange={({ currentTarget }) => setAllowRemote(currentTarget.checked)}
      />
      <HtmlPreview html={shown} title="HTML preview" allowRemote={allowRemote} />
      <Caption>Links do not work in this preview. The Links tab lists them.</Caption>
    </Stack>
  );
}

/** The preview blocks links, so they can be opened here. */
function Links({ urls }: { readonly urls: readonly string[] }) {
  return (
    <Stack gap="sm">
      <Text c="dimmed">
        A link that works only once, for example to confirm an address, no longer works for the recipient after you open
        it.
      </Text>
      <List size="sm" spacing="xs" listStyleType="none">
        {urls.map((url) => (
          <List.Item key={url}>
            <Anchor href={url} target="_blank" rel="noopener noreferrer" inherit className="breakable">
              {url}
            </Anchor>
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}

/** All headers as they are in the message. @param path where the API serves the message */
function MessageHeaders({ path }: { readonly path: string }) {
  const query = useQuery(messageQuery(path));
  return (
    <Loaded query={query} skeleton={<HeadersSkeleton />}>
      {({ headers }) => (
        <Facts columns={1}>
          {headers.map(({ name, value }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a header may occur twice, and the list never changes
            <Fact key={index} name={name}>
              {value}
            </Fact>
          ))}
        </Facts>
      )}
    </Loaded>
  );
}

/** A typical message has a dozen headers, each with its name above its value. */
function HeadersSkeleton() {
  return (
    <Stack gap="md">
      {Array.from({ length: 12 }, (_, header) => `header-${header}`).map((key) => (
        <Skeleton key={key} height={44} />
      ))}
    </Stack>
  );
}

type WholeMessageProps = {
  readonly path: string;
  readonly filename: string;
};

function WholeMessage({ path, filename }: WholeMessageProps) {
  const query = useQuery(messageSourceQuery(path));
  return (
    <Loaded query={query} skeleton={<Skeleton height={320} />}>
      {({ text, bytes }) => (
        <Stack gap="sm">
          <Group justify="space-between">
            <Text>{formatBytes(bytes)}, with headers, signature and attachments.</Text>
            <DownloadButton href={path} download={filename} label="Download message" />
          </Group>
          {text === null ? (
            <Text size="md" c="dimmed">
              The message is too large to show here. Download it to read it.
            </Text>
          ) : (
            <Source value={text} format="message" />
          )}
        </Stack>
      )}
    </Loaded>
  );
}

function Source({ value, format }: { readonly value: string; readonly format: 'HTML' | 'text' | 'message' }) {
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <ScrollArea.Autosize
        mah="30rem"
        flex={1}
        miw={0}
        type="auto"
        viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': `Email content as ${format}` }}
      >
        <CodeBlock>{value}</CodeBlock>
      </ScrollArea.Autosize>
      <CopyButton value={value} what={`the ${format}`} />
    </Group>
  );
}

function Hints({ message }: { readonly message: HintedMessage }) {
  const hints = listHints(message);
  if (hints.length === 0) return <Text>Nothing about this message stands out.</Text>;
  return (
    <List size="sm" spacing="xs">
      {hints.map((hint) => (
        <List.Item key={hint}>{hint}</List.Item>
      ))}
    </List>
  );
}

type AttachmentTableProps = {
  readonly files: readonly Attachment[];
  /** Where the API serves the whole message, which holds the files. Null if it no longer exists. */
  readonly path: string | null;
};

/** The files of a message, with the Content-ID of those that have one. A click on a name saves the file. */
function AttachmentTable({ files, path }: AttachmentTableProps) {
  const client = useQueryClient();
  const hasIds = files.some(({ contentId }) => contentId !== null);
  const save = async (messagePath: string, index: number) => {
    const message = await client.fetchQuery(messageQuery(messagePath)).catch(notifyProblem);
    const file = message && findFile(message.files, files, index);
    if (file) saveFile(file);
    else if (message) notifyProblem(new Error('The message has no such file. Download the message to see its parts.'));
  };
  return (
    <DataTable
      layout="fixed"
      aria-label="Attachments"
      rows={files}
      rowKey={(_, index) => index}
      columns={[
        {
          name: 'Name',
          isBreakable: true,
          cell: ({ name }, index) =>
            path === null ? (
              name
            ) : (
              <Anchor component="button" type="button" inherit ta="left" onClick={() => save(path, index)}>
                {name}
              </Anchor>
            ),
        },
        { name: 'Type', isBreakable: true, cell: ({ type }) => type },
        { name: 'Size', cell: ({ size }) => formatBytes(size) },
        ...(hasIds
          ? [
              {
                name: 'Content ID',
                isBreakable: true,
                cell: ({ contentId }: Attachment) => contentId,
              } as const,
            ]
          : []),
      ]}
    />
  );
}
