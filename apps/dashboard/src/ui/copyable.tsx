import { ActionIcon, Box, Code, Group, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useEffect } from 'react';
import { IconCheck, IconCopy } from './icons';

type CopyableProps = CopyButtonProps & { readonly block?: boolean };

export function Copyable({ value, what, block = false, onCopy }: CopyableProps) {
  return (
    <Group gap={4} wrap="nowrap" align={block ? 'flex-start' : 'center'}>
      <Box flex={block ? 1 : undefined} miw={0}>
        <Code block={block} className="breakable" style={{ whiteSpace: block ? 'pre-wrap' : 'normal' }}>
          {value}
        </Code>
      </Box>
      <CopyButton value={value} what={what} onCopy={onCopy} />
    </Group>
  );
}

/** Names or values in a row. */
export function Codes({ values }: { readonly values: readonly string[] }) {
  return (
    <Group gap={4}>
      {values.map((value) => (
        <Code key={value} className="breakable">
          {value}
        </Code>
      ))}
    </Group>
  );
}

/** Text as it was sent or received, which may have very long lines. */
export function CodeBlock({ children }: { readonly children: string }) {
  return (
    <Code block className="breakable" style={{ whiteSpace: 'pre-wrap' }}>
      {children}
    </Code>
  );
}

type CopyButtonProps = {
  readonly value: string;
  /** `the key` gives the label `Copy the key`. */
  readonly what: string;
  readonly onCopy?: (() => void) | undefined;
};

/**
 * Browsers allow clipboard access only over HTTPS and on localhost. Elsewhere, the tooltip tells users to copy by hand.
 */
export function CopyButton({ value, what, onCopy }: CopyButtonProps) {
  const { copied, copy, error } = useClipboard();
  useEffect(() => {
    if (copied) onCopy?.();
  }, [copied, onCopy]);
  const hint = error ? 'Your browser blocked copying. Select the text and copy it yourself.' : `Copy ${what}`;
  return (
    <Tooltip label={copied ? 'Copied' : hint} multiline maw={280}>
      <ActionIcon
        variant="subtle"
        color={copied ? 'green' : 'gray'}
        onClick={() => copy(value)}
        aria-label={`Copy ${what}`}
      >
        {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
      </ActionIcon>
    </Tooltip>
  );
}
