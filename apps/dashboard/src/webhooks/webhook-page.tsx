import { Alert } from '@mantine/core';
import type { Deleted, UpdateWebhookRequest, Webhook, WebhookTest } from '@posthorn/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { request, toPath } from '../api/request';
import { DomainNames } from '../domains/domain-labels';
import { DialogForm, useApiForm } from '../ui/api-form';
import { ChangeButton, DialogButton } from '../ui/buttons';
import { Codes, Copyable } from '../ui/copyable';
import { Fact, Facts } from '../ui/facts';
import { IconAlertTriangle } from '../ui/icons';
import { LoadedPage, Page, Section } from '../ui/page';
import { FormSkeleton } from '../ui/skeletons';
import { useChange } from '../ui/use-change';
import { DeliveryLog } from './delivery-log';
import { selectableTypes } from './event-types';
import { buildDeliveryLogKey, webhookQuery, webhooksKey, webhooksPath, webhooksQuery } from './queries';
import { SecretSection } from './secret-section';
import { toSettings, toValues, WebhookFields } from './webhook-fields';
import { getWebhookStatus, WebhookStatusLine } from './webhook-status';

const page = getRouteApi('/app-layout/webhooks/$id');

export function WebhookPage() {
  const query = useQuery(webhookQuery(page.useParams().id));
  return (
    <LoadedPage title="Webhook" query={query} skeleton={<FormSkeleton fields={6} />}>
      {(webhook) => <LoadedWebhook key={webhook.id} webhook={webhook} />}
    </LoadedPage>
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
  const { color, label, help } = getWebhookStatus(webhook);
  return (
    help !== null && (
      <Alert role="status" color={color} title={label} icon={<IconAlertTriangle />}>
        {help}
      </Alert>
    )
  );
}

/** Sends a test event, and enables or disables the webhook. A disabled one gets no test events. */
function WebhookActions({ webhook: { id, status } }: { readonly webhook: Webhook }) {
  const isEnabled = status === 'enabled';
  const test = useChange({
    change: () => request<WebhookTest>('POST', `${toPath(webhooksPath, id)}/test`),
    done: () => 'The test event is on its way. It appears among the deliveries.',
    refresh: [buildDeliveryLogKey(id)],
  });
  const toggle = useChange({
    change: () => {
      const changes: UpdateWebhookRequest = { status: isEnabled ? 'disabled' : 'enabled' };
      return request<Webhook>('PATCH', toPath(webhooksPath, id), changes);
    },
    done: (changed) => `The webhook was ${changed.status}.`,
    refresh: [webhooksKey],
  });
  return (
    <>
      <ChangeButton
        change={toggle}
        label={isEnabled ? 'Disable' : 'Enable'}
        variant={isEnabled ? 'default' : 'filled'}
      />
      {isEnabled && <ChangeButton change={test} label="Send test event" variant="filled" />}
    </>
  );
}

function SettingsSection({ webhook }: { readonly webhook: Webhook }) {
  const { id, description, events, domain_ids: domainIds, tags } = webhook;
  return (
    <Section
      title="Settings"
      actions={
        <DialogButton label="Edit" title="Edit webhook" dialog={{ size: 'lg' }}>
          {(close) => <EditWebhookForm webhook={webhook} onClose={close} />}
        </DialogButton>
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
    </Section>
  );
}

function EditWebhookForm({ webhook, onClose }: { readonly webhook: Webhook; readonly onClose: () => void }) {
  const { form, ...state } = useApiForm({
    initialValues: toValues(webhook),
    submit: (values) =>
      request<Webhook>('PATCH', toPath(webhooksPath, webhook.id), toSettings(values) satisfies UpdateWebhookRequest),
    onDone: onClose,
    done: () => 'The webhook was changed.',
    refresh: [webhooksKey],
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
  const remove = useChange({
    change: () => request<Deleted<'webhook'>>('DELETE', toPath(webhooksPath, id)),
    question: {
      title: 'Delete this webhook?',
      text: 'Its secret and its delivery log are deleted too, and deliveries that are waiting are not sent. This cannot be undone. To stop sending for a while, disable it instead.',
      action: 'Delete webhook',
    },
    onDone: async () => {
      await queryClient.invalidateQueries(webhooksQuery(mode));
      await navigate({ to: '/webhooks', search: mode === 'test' ? { mode } : {} });
      queryClient.removeQueries({ queryKey: webhookQuery(id).queryKey });
    },
    done: () => 'The webhook was deleted.',
  });
  return (
    <Section title="Delete webhook" description="It gets no more events, and its delivery log is deleted.">
      <ChangeButton change={remove} label="Delete webhook" color="red" variant="outline" />
    </Section>
  );
}
