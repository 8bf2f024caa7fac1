import { Button, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { TestSource } from './send-test';
import { TestSendForm } from './test-send-form';

export function TestSendButton({ source }: { readonly source: TestSource }) {
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" onClick={open}>
        Send test
      </Button>
      <Modal opened={opened} onClose={close} title="Send a test email">
        <TestSendForm source={source} />
      </Modal>
    </>
  );
}
