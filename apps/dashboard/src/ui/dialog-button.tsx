import { Button, type ButtonProps, Modal, type ModalProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';

type DialogButtonProps = Omit<ButtonProps, 'children'> & {
  readonly label: string;
  readonly 'aria-label'?: string;
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
