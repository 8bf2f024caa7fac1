import { Table } from '@mantine/core';
import type { Attachment } from '@posthorn/contract';
import { formatBytes } from '../ui/format-bytes';

/** The files of an email, and the content_id of those that its HTML shows. */
export function AttachmentTable({ attachments }: { readonly attachments: readonly Attachment[] }) {
  const hasIds = attachments.some(({ content_id: contentId }) => contentId !== null);
  return (
    <Table layout="fixed" aria-label="Attachments">
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Name</Table.Th>
          <Table.Th scope="col">Type</Table.Th>
          <Table.Th scope="col">Size</Table.Th>
          {hasIds && <Table.Th scope="col">Content ID</Table.Th>}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {attachments.map(({ filename, content_type: type, content_id: contentId, size }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two files may have the same name, and the list never changes
          <Table.Tr key={index}>
            <Table.Td className="breakable">{filename}</Table.Td>
            <Table.Td className="breakable">{type}</Table.Td>
            <Table.Td>{formatBytes(size)}</Table.Td>
            {hasIds && <Table.Td className="breakable">{contentId}</Table.Td>}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
