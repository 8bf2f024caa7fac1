import { Button, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Domain } from '@posthorn/contract';
import { Section } from '../ui/section';
import { DeleteDomainForm } from './delete-domain-form';

export function DeleteDomainSection({ domain }: { readonly domain: Domain }) {
  const [opened, { open, close }] = useDisclosure();
  return (
    <Section
      title="Delete domain"
      description="You cannot send from a deleted domain. Emails from it that are still waiting, including scheduled ones, fail with an explanation when they are due."
    >
      <Button color="red" variant="outline" onClick={open}>
        Delete domain
      </Button>
      <Modal opened={opened} onClose={close} title={`Delete ${domain.name}?`}>
        <DeleteDomainForm domain={domain} onCancel={close} />
      </Modal>
    </Section>
  );
}
