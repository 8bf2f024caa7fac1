import { Anchor, Table } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { formatBytes } from '../ui/format-bytes';
import { notifyProblem } from '../ui/notify';
import { type FileDescription, findFile } from './find-file';
import { messageQuery } from './queries';
import { saveFile } from './save-file';

type Props = {
  readonly files: readonly (FileDescription & { readonly type: string; readonly size: number })[];
  /** Where the API serves the whole message, which holds the files. Null if it no longer exists. */
  readonly path: string | null;
};

/** The files of a message, with the Content-ID of those that have one. A click on a name saves the file. */
export function AttachmentTable({ files, path }: Props) {
  const client = useQueryClient();
  const hasIds = files.some(({ contentId }) => contentId !== null);
  const save = async (messagePath: string, index: number) => {
    const message = await client.fetchQuery(messageQuery(messagePath)).catch(notifyProblem);
    const file = message && findFile(message.files, files, index);
    if (file) saveFile(file);
    else if (message) notifyProblem(new Error('The message has no such file. Download the message to see its parts.'));
  };
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
        {files.map(({ name, type, contentId, size }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two files may have the same name, and the list never changes
          <Table.Tr key={index}>
            <Table.Td className="breakable">
              {path === null ? (
                name
              ) : (
                <Anchor component="button" type="button" inherit ta="left" onClick={() => save(path, index)}>
                  {name}
                </Anchor>
              )}
            </Table.Td>
            <Table.Td className="breakable">{type}</Table.Td>
            <Table.Td>{formatBytes(size)}</Table.Td>
            {hasIds && <Table.Td className="breakable">{contentId}</Table.Td>}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
