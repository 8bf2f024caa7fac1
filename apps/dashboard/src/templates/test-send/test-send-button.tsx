import { Button, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconSend } from '@tabler/icons-react';
import type { Tested } from './send-test';
import { TestSendForm } from './test-send-form';

export function TestSendButton({ tested }: { readonly tested: Tested }) {
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" leftSection={<IconSend size={16} aria-hidden />} onClick={open}>
        Send a test
      </Button>
      <Modal opened={opened} onClose={close} title="Send a test">
        <TestSendForm tested={tested} />
      </Modal>
    </>
  );
}
