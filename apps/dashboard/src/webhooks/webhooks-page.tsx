import { Button } from '@mantine/core';
import type { Mode } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { EmptyState } from '../ui/empty-state';
import { IconPlus } from '../ui/icons';
import { Loaded } from '../ui/loaded';
import { ModeSwitch } from '../ui/mode-switch';
import { Page } from '../ui/page';
import { TableSkeleton } from '../ui/table-skeleton';
import { CreateWebhookDialog } from './create-webhook-dialog';
import { webhooksQuery } from './queries';
import { WebhookTable } from './webhook-table';

const page = getRouteApi('/app-layout/webhooks');

export function WebhooksPage() {
  const { mode = 'live', create: creating } = page.useSearch();
  const navigate = useNavigate();
  const webhooks = useQuery(webhooksQuery(mode));
  const show = (search: { mode?: Mode | undefined; create?: 'true' }) =>
    navigate({ to: '/webhooks', search, replace: true, ignoreBlocker: true });
  const modeInUrl = mode === 'test' ? mode : undefined;
  const create = (
    <Button onClick={() => show({ mode: modeInUrl, create: 'true' })} leftSection={<IconPlus size={16} />}>
      Create webhook
    </Button>
  );
  const hasSome = webhooks.data !== undefined && webhooks.data.data.length > 0;
  return (
    <Page
      title="Webhooks"
      description="We post events to your URLs as they happen: when an email is sent, bounces or is canceled, when a domain is verified, and more."
      actions={hasSome && create}
    >
      <ModeSwitch mode={mode} onChange={(chosen) => show({ mode: chosen === 'test' ? chosen : undefined })} />
      <Loaded query={webhooks} skeleton={<TableSkeleton rows={3} />}>
        {({ data }) => (data.length > 0 ? <WebhookTable webhooks={data} /> : <Nothing mode={mode}>{create}</Nothing>)}
      </Loaded>
      <CreateWebhookDialog
        key={mode}
        mode={mode}
        opened={creating === 'true'}
        onClose={() => show({ mode: modeInUrl })}
      />
    </Page>
  );
}

function Nothing({ mode, children }: { readonly mode: Mode; readonly children: ReactNode }) {
  return (
    <EmptyState
      title={mode === 'test' ? 'No webhooks for test mail yet' : 'No webhooks yet'}
      text={
        mode === 'test'
          ? 'Create one to get the events of emails that test keys create. Test mail never reaches webhooks for live mail.'
          : 'Create a webhook to be notified about your emails. Then send it a test event. It comes with code that verifies our requests, in five languages.'
      }
    >
      {children}
    </EmptyState>
  );
}
