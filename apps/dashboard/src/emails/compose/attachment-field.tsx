import { ActionIcon, Button, FileButton, Group, Input, Stack, Text } from '@mantine/core';
import { type SendAttachment, sendLimits } from '@posthorn/contract';
import { type DragEvent, useState } from 'react';
import { formatBytes } from '../../ui/format';
import { IconX } from '../../ui/icons';
import { notifyProblem } from '../../ui/notify';
import classes from './attachment-field.module.css';

type AttachmentFieldProps = {
  readonly attachments: readonly SendAttachment[];
  readonly onAdd: (added: SendAttachment[]) => void;
  readonly onRemove: (index: number) => void;
};

export function AttachmentField({ attachments, onAdd, onRemove }: AttachmentFieldProps) {
  const [isOver, setIsOver] = useState(false);
  const read = (files: readonly File[]) => Promise.all(files.map(readFile)).then(onAdd, notifyProblem);
  const drop = (event: DragEvent) => {
    // Otherwise the browser would leave the page and open the file.
    event.preventDefault();
    setIsOver(false);
    void read([...event.dataTransfer.files]);
  };
  const over = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(true);
  };
  return (
    <fieldset className="plain">
      <Input.Label component="legend">Attachments</Input.Label>
      <Input.Description mb={6}>
        At most {sendLimits.attachments} files, and {formatBytes(sendLimits.messageBytes)} for the whole email as it is
        sent, which makes files a third larger.
      </Input.Description>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same without a mouse */}
      <div
        className={classes.drop}
        data-over={isOver || undefined}
        onDragOver={over}
        onDragLeave={() => setIsOver(false)}
        onDrop={drop}
      >
        <Group>
          <FileButton multiple onChange={(files) => void read(files)}>
            {(props) => (
              <Button {...props} variant="default">
                Add files
              </Button>
            )}
          </FileButton>
          <Text>or drop them here.</Text>
        </Group>
        {attachments.length > 0 && (
          <Stack component="ul" gap={4} mt="sm" mb={0} pl="md" aria-label="Added files">
            {attachments.map(({ filename, content }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two files may have the same name and content
              <li key={index}>
                <Group gap="xs" wrap="nowrap">
                  <Text className="breakable">
                    {filename} ({formatBytes(countBytes(content))})
                  </Text>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    onClick={() => onRemove(index)}
                    aria-label={`Remove ${filename}`}
                  >
                    <IconX size={16} />
                  </ActionIcon>
                </Group>
              </li>
            ))}
          </Stack>
        )}
      </div>
    </fieldset>
  );
}

/** The number of bytes that the base64 encodes. */
function countBytes(base64: string): number {
  const padding = base64.length - base64.replace(/=+$/, '').length;
  return (base64.length * 3) / 4 - padding;
}

/** The type of an .eml file, for example. The API accepts the file, but not the type (RFC 2045, 6.4). */
const COMPOSITE = /^(?:message|multipart)\//i;

/** @throws Error if the browser cannot read the file, for example because it was moved or is a folder */
function readFile(file: File): Promise<SendAttachment> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      // A data URL: the base64 follows the comma, even if the file is empty.
      const url = String(reader.result);
      resolve({
        filename: file.name,
        content: url.slice(url.indexOf(',') + 1),
        ...(file.type !== '' && !COMPOSITE.test(file.type) && { content_type: file.type }),
      });
    };
    reader.onerror = () => reject(new Error(`${file.name} could not be read. Choose it again.`));
    reader.readAsDataURL(file);
  });
}
