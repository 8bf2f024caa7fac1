import { Alert, Text } from '@mantine/core';
import type { Webhook } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { FormSkeleton } from '../ui/form-skeleton';
import { IconAlertTriangle } from '../ui/icons';
import { Loaded } from '../ui/loaded';
import { Page } from '../ui/page';
import { DeleteWebhookSection } from './delete-webhook-section';
import { DeliveryLog } from './delivery-log';
import { webhookQuery } from './queries';
import { SecretSection } from './secret-section';
import { SettingsSection } from './settings-section';
import { WebhookActions } from './webhook-actions';
import { webhookStatus } from './webhook-status';
import { WebhookStatusLine } from './webhook-status-line';

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
