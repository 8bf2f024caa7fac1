import { Code, Group, ScrollArea } from '@mantine/core';
import { CopyButton } from '../ui/copy-button';

type Props = { readonly value: string; readonly format: 'HTML' | 'text' | 'message' };

/** Content as it was sent, without any formatting. */
export function Source({ value, format }: Props) {
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <ScrollArea.Autosize
        mah="30rem"
        flex={1}
        miw={0}
        type="auto"
        viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': `Email content as ${format}` }}
      >
        <Code block className="breakable" style={{ whiteSpace: 'pre-wrap' }}>
          {value}
        </Code>
      </ScrollArea.Autosize>
      <CopyButton value={value} what={`the ${format}`} />
    </Group>
  );
}
