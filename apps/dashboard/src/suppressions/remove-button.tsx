import { Button, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Suppression } from '@posthorn/contract';
import { RemoveForm } from './remove-form';

/** Asks for confirmation, and for a complaint also why the recipient wants mail again. */
export function RemoveButton({ suppression }: { readonly suppression: Suppression }) {
  const [opened, { open, close }] = useDisclosure();
  const name = suppression.address ?? 'the erased address';
  return (
    <>
      <Button size="compact-sm" color="red" variant="subtle" onClick={open} aria-label={`Remove ${name}`}>
        Remove
      </Button>
      <Modal opened={opened} onClose={close} title={`Remove ${name}?`} className="breakable">
        <RemoveForm suppression={suppression} onClose={close} />
      </Modal>
    </>
  );
}
