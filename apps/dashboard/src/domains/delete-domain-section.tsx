import { Button, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Domain } from '@posthorn/contract';
import { Section } from '../ui/section';
import { DeleteDomainForm } from './delete-domain-form';

export function DeleteDomainSection({ domain }: { readonly domain: Domain }) {
  const [opened, { open, close }] = useDisclosure();
  return (
    <Section
      title="Delete the domain"
      description="Nothing can be sent from it any more. Mail from it that still waits, scheduled mail too, fails when its time comes, and says why."
    >
      <Button color="red" variant="outline" onClick={open}>
        Delete the domain
      </Button>
      <Modal opened={opened} onClose={close} title={`Delete ${domain.name}?`}>
        <DeleteDomainForm domain={domain} onCancel={close} />
      </Modal>
    </Section>
  );
}
