import { Button, type ButtonProps, Modal, type ModalProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { IconDownload } from './icons';

type LabelledProps = Omit<ButtonProps, 'children'> & { readonly label: string; readonly 'aria-label'?: string };

type DialogButtonProps = LabelledProps & {
  readonly title: string;
  readonly dialog?: Pick<ModalProps, 'size' | 'className'>;
  readonly children: (close: () => void) => ReactNode;
};

export function DialogButton({ label, title, dialog, children, ...button }: DialogButtonProps) {
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" {...button} onClick={open}>
        {label}
      </Button>
      <Modal opened={opened} onClose={close} title={title} {...dialog}>
        {children(close)}
      </Modal>
    </>
  );
}

type ChangeButtonProps<Input> = LabelledProps & {
  readonly change: { readonly run: (input: Input) => unknown; readonly isPending: boolean };
  readonly input?: Input;
};

export function ChangeButton<Input>({ label, change, input, ...button }: ChangeButtonProps<Input>) {
  return (
    <Button variant="default" {...button} loading={change.isPending} onClick={() => change.run(input as Input)}>
      {label}
    </Button>
  );
}

type DownloadButtonProps = Pick<ButtonProps, 'size'> & {
  readonly href: string;
  /** The name of the file. */
  readonly download: string;
  readonly label: string;
};

export function DownloadButton({ label, ...props }: DownloadButtonProps) {
  return (
    <Button component="a" variant="default" size="xs" leftSection={<IconDownload size={14} />} {...props}>
      {label}
    </Button>
  );
}
