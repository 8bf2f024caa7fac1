import { Table, Text } from '@mantine/core';
import type { Email } from '@posthorn/contract';
import { getRouteApi } from '@tanstack/react-router';
import { MessageTabs } from '../message/message-tabs';
import { messagePath } from './queries';

const page = getRouteApi('/app-layout/emails/$id');

export function EmailContent({ email }: { readonly email: Email }) {
  const { id, html, text, template_vars: variables } = email;
  const { tab } = page.useSearch();
  const navigate = page.useNavigate();
  const hasVariables = variables !== null && Object.keys(variables).length > 0;
  if (email.erased_at !== null)
    return <Text c="dimmed">The content of this email was erased, because one of its recipients was.</Text>;
  if (email.content_removed) return <Text c="dimmed">The content of this email was deleted because of its age.</Text>;
  return (
    <MessageTabs
      html={html}
      text={text}
      path={messagePath(id)}
      filename={`${id}.eml`}
      more={
        hasVariables ? [{ name: 'variables', label: 'Variables', content: <Variables variables={variables} /> }] : []
      }
      open={tab}
      onOpen={(name) => void navigate({ search: { tab: name }, replace: true, resetScroll: false })}
    />
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
