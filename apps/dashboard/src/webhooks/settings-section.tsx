import { Button, Code, Group, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Webhook } from '@posthorn/contract';
import { DomainNames } from '../domains/domain-names';
import { Copyable } from '../ui/copyable';
import { Fact, Facts } from '../ui/facts';
import { Section } from '../ui/section';
import { EditWebhookForm } from './edit-webhook-form';
import { selectableTypes } from './event-groups';

export function SettingsSection({ webhook }: { readonly webhook: Webhook }) {
  const [opened, { open, close }] = useDisclosure();
  const { id, description, events, domain_ids: domainIds, tags } = webhook;
  return (
    <Section
      title="Settings"
      actions={
        <Button variant="default" onClick={open}>
          Edit
        </Button>
      }
    >
      <Facts columns={1}>
        {description !== '' && <Fact name="Description">{description}</Fact>}
        <Fact name="Events">{events.length === selectableTypes.length ? 'All events' : <Codes values={events} />}</Fact>
        {domainIds !== null && (
          <Fact name="Domains">
            Only events of <DomainNames ids={domainIds} /> and of emails from them
          </Fact>
        )}
        {tags !== null && (
          <Fact name="Tags">
            Only events of emails with one of these: <Codes values={tags} />
          </Fact>
        )}
        <Fact name="ID">
          <Copyable value={id} what="the webhook ID" />
        </Fact>
      </Facts>
      <Modal opened={opened} onClose={close} title="Edit webhook" size="lg">
        <EditWebhookForm webhook={webhook} onClose={close} />
      </Modal>
    </Section>
  );
}

function Codes({ values }: { readonly values: readonly string[] }) {
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
