import { ActionIcon, Anchor, Group, Table, Text, Tooltip } from '@mantine/core';
import type { Template } from '@posthorn/contract';
import { Link } from '@tanstack/react-router';
import { CopyButton } from '../ui/copy-button';
import { IconCopyPlus, IconTrash } from '../ui/icons';
import { RelativeTime } from '../ui/timestamp';
import { useDeleteTemplate } from './use-delete-template';
import { useDuplicateTemplate } from './use-duplicate-template';
import { VariableNames } from './variable-names';

export function TemplateTable({ templates }: { readonly templates: readonly Template[] }) {
  const remove = useDeleteTemplate();
  const duplicate = useDuplicateTemplate();
  return (
    <Table verticalSpacing="sm" highlightOnHover aria-label="Templates">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name and subject</Table.Th>
          <Table.Th visibleFrom="md" w="34%">
            Variables
          </Table.Th>
          <Table.Th visibleFrom="xs">Version</Table.Th>
          <Table.Th visibleFrom="sm">Updated</Table.Th>
          <Table.Th ta="end">Actions</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {templates.map((template) => (
          <TemplateRow
            key={template.id}
            template={template}
            onDuplicate={() => duplicate(template)}
            onDelete={() => remove(template)}
          />
        ))}
      </Table.Tbody>
    </Table>
  );
}

type RowProps = { readonly template: Template; readonly onDuplicate: () => void; readonly onDelete: () => void };

function TemplateRow({
  template: { id, name, subject, variables, version, updated_at },
  onDuplicate,
  onDelete,
}: RowProps) {
  return (
    <Table.Tr>
      <Table.Td className="breakable">
        <Anchor renderRoot={(props) => <Link {...props} to="/templates/$id" params={{ id }} />} fw={600}>
          {name}
        </Anchor>
        <Text size="sm" c="dimmed">
          {subject}
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="md">
        <VariableNames names={variables.map((variable) => variable.name)} />
      </Table.Td>
      <Table.Td visibleFrom="xs">{version}</Table.Td>
      <Table.Td visibleFrom="sm">
        <RelativeTime value={updated_at} />
      </Table.Td>
      <Table.Td>
        <Group gap={4} justify="flex-end" wrap="nowrap">
          <CopyButton value={id} what={`the ID of ${name}`} />
          <Tooltip label="Duplicate">
            <ActionIcon variant="subtle" color="gray" onClick={onDuplicate} aria-label={`Duplicate ${name}`}>
              <IconCopyPlus size={16} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label="Delete">
            <ActionIcon variant="subtle" color="gray" onClick={onDelete} aria-label={`Delete ${name}`}>
              <IconTrash size={16} />
            </ActionIcon>
          </Tooltip>
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}
