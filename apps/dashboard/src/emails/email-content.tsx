import { Stack, Switch, Table, Tabs, Text } from '@mantine/core';
import type { Email } from '@posthorn/contract';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { HtmlPreview } from '../ui/html-preview';
import { RawMessage } from './raw-message';
import { Source } from './source';

const page = getRouteApi('/app-layout/emails/$id');

export function EmailContent({ email }: { readonly email: Email }) {
  const { html, text, template_vars: variables } = email;
  const { tab } = page.useSearch();
  const navigate = page.useNavigate();
  const hasVariables = variables !== null && Object.keys(variables).length > 0;
  const tabs = [
    ...(html ? (['html', 'source'] as const) : []),
    ...(text ? (['text'] as const) : []),
    ...(hasVariables ? (['variables'] as const) : []),
    'message' as const,
  ];
  const open = tabs.find((name) => name === tab) ?? tabs[0] ?? 'message';
  if (email.content_removed) return <Text c="dimmed">The content of this email was deleted because of its age.</Text>;
  const choose = (name: string | null) => {
    if (name !== null) void navigate({ search: { tab: name }, replace: true, resetScroll: false });
  };
  return (
    <Tabs value={open} onChange={choose} keepMounted={false}>
      <Tabs.List mb="md">
        {tabs.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {labels[name]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="html">{html && <Preview html={html} />}</Tabs.Panel>
      <Tabs.Panel value="source">{html && <Source value={html} format="HTML" />}</Tabs.Panel>
      <Tabs.Panel value="text">{text && <Source value={text} format="text" />}</Tabs.Panel>
      <Tabs.Panel value="message">
        <RawMessage id={email.id} />
      </Tabs.Panel>
      <Tabs.Panel value="variables">{variables && <Variables variables={variables} />}</Tabs.Panel>
    </Tabs>
  );
}

const labels = {
  html: 'HTML',
  source: 'HTML source',
  text: 'Text',
  variables: 'Variables',
  message: 'Message',
} as const;

function Preview({ html }: { readonly html: string }) {
  const [allowRemote, setAllowRemote] = useState(false);
  return (
    <Stack gap="sm">
      <Switch
        label="Load remote images"
        description="The servers that host the images will see your IP address and that you opened this email."
        checked={allowRemote}
        onChange={({ currentTarget }) => setAllowRemote(currentTarget.checked)}
      />
      <HtmlPreview html={html} title="HTML preview" allowRemote={allowRemote} />
      <Text size="xs" c="dimmed">
        Links are disabled in this preview. The HTML source shows where they lead.
      </Text>
    </Stack>
  );
}

function Variables({ variables }: { readonly variables: Record<string, unknown> }) {
  return (
    <Table layout="fixed" aria-label="Template variables">
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Name</Table.Th>
          <Table.Th scope="col">Value</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {Object.entries(variables).map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Td className="breakable">{name}</Table.Td>
            <Table.Td className="breakable">{typeof value === 'string' ? value : JSON.stringify(value)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
