import { Alert, Button, Code, Group, Modal, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Deleted, UpdateWebhookRequest, Webhook, WebhookTest } from '@posthorn/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { request } from '../api/request';
import { DomainNames } from '../domains/domain-labels';
import { DialogForm, useApiForm } from '../ui/api-form';
import { Copyable } from '../ui/copyable';
import { Fact, Facts } from '../ui/facts';
import { IconAlertTriangle } from '../ui/icons';
import { Loaded } from '../ui/loaded';
import { confirm, notifyDone, notifyProblem } from '../ui/notify';
import { Page, Section } from '../ui/page';
import { FormSkeleton } from '../ui/skeletons';
import { DeliveryLog } from './delivery-log';
import { selectableTypes } from './event-groups';
import { deliveryLogKey, webhookPath, webhookQuery, webhooksKey, webhooksQuery } from './queries';
import { SecretSection } from './secret-section';
import { toSettings, toValues, WebhookFields } from './webhook-fields';
import { WebhookStatusLine, webhookStatus } from './webhook-status';

const page = getRouteApi('/app-layout/webhooks/$id');

export function WebhookPage() {
  const webhook = useQuery(webhookQuery(page.useParams().id));
  return webhook.data ? (
    <LoadedWebhook key={webhook.data.id} webhook={webhook.data} />
  ) : (
    <Page title="Webhook">
      <Loaded query={webhook} skeleton={<FormSkeleton fields={6} />}>
        {() => null}
      </Loaded>
    </Page>
  );
}

function LoadedWebhook({ webhook }: { readonly webhook: Webhook }) {
  return (
    <Page
      title={webhook.url}
      description={<WebhookStatusLine webhook={webhook} />}
      actions={<WebhookActions webhook={webhook} />}
    >
      <DisabledAlert webhook={webhook} />
      <SettingsSection webhook={webhook} />
      <DeliveryLog webhook={webhook} />
      <SecretSection webhook={webhook} />
      <DeleteWebhookSection webhook={webhook} />
    </Page>
  );
}

function DisabledAlert({ webhook }: { readonly webhook: Webhook }) {
  const { color, label, help } = webhookStatus(webhook);
  return (
    help !== null && (
      <Alert role="status" color={color} variant="light" title={label} icon={<IconAlertTriangle />}>
        <Text size="sm">{help}</Text>
      </Alert>
    )
  );
}

/** Sends a test event, and enables or disables the webhook. A disabled one gets no test events. */
function WebhookActions({ webhook: { id, status } }: { readonly webhook: Webhook }) {
  const queryClient = useQueryClient();
  const isEnabled = status === 'enabled';
  const test = useMutation({
    mutationFn: () => request<WebhookTest>('POST', `${webhookPath(id)}/test`),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: deliveryLogKey(id) });
      notifyDone('The test event is on its way. It appears among the deliveries.');
    },
    onError: notifyProblem,
  });
  const change = useMutation({
    mutationFn: () => {
      const changes: UpdateWebhookRequest = { status: isEnabled ? 'disabled' : 'enabled' };
      return request<Webhook>('PATCH', webhookPath(id), changes);
    },
    onSuccess: async (changed) => {
      await queryClient.invalidateQueries({ queryKey: webhooksKey });
      notifyDone(changed.status === 'enabled' ? 'The webhook was enabled.' : 'The webhook was disabled.');
    },
    onError: notifyProblem,
  });
  return (
    <>
      <Button variant={isEnabled ? 'default' : 'filled'} loading={change.isPending} onClick={() => change.mutate()}>
        {isEnabled ? 'Disable' : 'Enable'}
      </Button>
      {isEnabled && (
        <Button loading={test.isPending} onClick={() => test.mutate()}>
          Send test event
        </Button>
      )}
    </>
  );
}

function SettingsSection({ webhook }: { readonly webhook: Webhook }) {
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

function EditWebhookForm({ webhook, onClose }: { readonly webhook: Webhook; readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const { form, ...state } = useApiForm({
    initialValues: toValues(webhook),
    submit: (values) =>
      request<Webhook>('PATCH', webhookPath(webhook.id), toSettings(values) satisfies UpdateWebhookRequest),
    onDone: async () => {
      await queryClient.invalidateQueries({ queryKey: webhooksKey });
      notifyDone('The webhook was changed.');
      onClose();
    },
  });
  return (
    <DialogForm {...state} action="Save changes" onCancel={onClose}>
      <WebhookFields form={form} />
    </DialogForm>
  );
}

function DeleteWebhookSection({ webhook: { id, mode } }: { readonly webhook: Webhook }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => request<Deleted<'webhook'>>('DELETE', webhookPath(id)),
    onSuccess: async () => {
      await queryClient.invalidateQueries(webhooksQuery(mode));
      await navigate({ to: '/webhooks', search: mode === 'test' ? { mode } : {} });
      queryClient.removeQueries({ queryKey: webhookQuery(id).queryKey });
      notifyDone('The webhook was deleted.');
    },
    onError: notifyProblem,
  });
  const confirmRemoval = async () => {
    const confirmed = await confirm({
      title: 'Delete this webhook?',
      text: 'Its secret and its delivery log are deleted too, and deliveries that are waiting are not sent. This cannot be undone. To stop sending for a while, disable it instead.',
      action: 'Delete webhook',
    });
    if (confirmed) remove.mutate();
  };
  return (
    <Section title="Delete webhook" description="It gets no more events, and its delivery log is deleted.">
      <Button color="red" variant="outline" loading={remove.isPending} onClick={confirmRemoval}>
        Delete webhook
      </Button>
    </Section>
  );
}
