import { Box, Code, Group } from '@mantine/core';
import { CopyButton } from './copy-button';

type Props = { readonly value: string; readonly what: string; readonly block?: boolean; readonly onCopy?: () => void };

/** Text with a copy button. */
export function Copyable({ value, what, block = false, onCopy }: Props) {
  return (
    <Group gap={4} wrap="nowrap" align={block ? 'flex-start' : 'center'}>
      <Box flex={block ? 1 : undefined} miw={0}>
        <Code block={block} className="breakable" style={{ whiteSpace: block ? 'pre-wrap' : 'normal' }}>
          {value}
        </Code>
      </Box>
      <CopyButton value={value} what={what} {...(onCopy && { onCopy })} />
    </Group>
  );
}
