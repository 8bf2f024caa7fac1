import { ActionIcon, CopyButton as Copying, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';

/** @param what is copied, for people: `Copy the key` */
export function CopyButton({ value, what }: { readonly value: string; readonly what: string }) {
  return (
    <Copying value={value}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : `Copy ${what}`}>
          <ActionIcon variant="subtle" color={copied ? 'green' : 'gray'} onClick={copy} aria-label={`Copy ${what}`}>
            {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          </ActionIcon>
        </Tooltip>
      )}
    </Copying>
  );
}
