import { Box, Button, NativeSelect, Text } from '@mantine/core';
import { type CreateWebhookRequest, type Mode, modes, type Webhook, type WebhookWithSecret } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { request } from '../api/request';
import { DialogForm, useApiForm } from '../ui/api-form';
import { type Column, DataTable } from '../ui/data-table';
import { Caption } from '../ui/facts';
import { ModeSwitch } from '../ui/filters';
import { listOptions } from '../ui/format';
import { IconPlus } from '../ui/icons';
import { TextLink } from '../ui/links';
import { Loaded } from '../ui/loaded';
import { EmptyState, Page } from '../ui/page';
import { type GuardProps, ShownOnceDialog } from '../ui/shown-once';
import { TableSkeleton } from '../ui/skeletons';
import { describeTypes } from './event-types';
import { webhooksKey, webhooksPath, webhooksQuery } from './queries';
import { WebhookSecret } from './secret-section';
import { toNewValues, toSettings, WebhookFields } from './webhook-fields';
import { WebhookStatusBadge } from './webhook-status';

const page = getRouteApi('/app-layout/webhooks');

export function WebhooksPage() {
  const { mode = 'live', create: creating } = page.useSearch();
  const navigate = useNavigate();
  const webhooks = useQuery(webhooksQuery(mode));
  const show = (search: { mode?: 'test' | undefined; create?: 'true' }) =>
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
        {({ data }) =>
          data.length > 0 ? (
            <DataTable isFramed layout="fixed" aria-label="Webhooks" isTopAligned rows={data} columns={columns} />
          ) : (
            <EmptyState {...nothing[mode]}>{create}</EmptyState>
          )
        }
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

const nothing: Readonly<Record<Mode, { readonly title: string; readonly text: string }>> = {
  live: {
    title: 'No webhooks yet',
    text: 'Create a webhook to be notified about your emails. Then send it a test event. It comes with code that verifies our requests, in five languages.',
  },
  test: {
    title: 'No webhooks for test mail yet',
    text: 'Create one to get the events of emails that test keys create. Test mail never reaches webhooks for live mail.',
  },
};

/** On narrow screens, all columns but the first are below the URL. */
const columns: ReadonlyArray<Column<Webhook>> = [
  {
    name: 'URL',
    isBreakable: true,
    cell: (webhook) => (
      <>
        <TextLink fw={500} to="/webhooks/$id" params={{ id: webhook.id }}>
          {webhook.url}
        </TextLink>
        {webhook.description !== '' && <Caption>{webhook.description}</Caption>}
        <Box hiddenFrom="sm" mt={6}>
          <WebhookStatusBadge webhook={webhook} />
          <Types webhook={webhook} />
        </Box>
      </>
    ),
  },
  { name: 'Events', from: 'sm', w: '34%', isBreakable: true, cell: (webhook) => <Types webhook={webhook} /> },
  { name: 'Status', from: 'sm', w: '11.5rem', cell: (webhook) => <WebhookStatusBadge webhook={webhook} /> },
];

function Types({ webhook: { events, domain_ids, tags } }: { readonly webhook: Webhook }) {
  const types = describeTypes(events);
  return (
    <Text lineClamp={2} title={types}>
      {(domain_ids !== null || tags !== null) && 'Filtered: '}
      {types}
    </Text>
  );
}

type CreateWebhookDialogProps = { readonly mode: Mode; readonly opened: boolean; readonly onClose: () => void };

function CreateWebhookDialog({ mode, ...props }: CreateWebhookDialogProps) {
  return (
    <ShownOnceDialog<WebhookWithSecret>
      title="Create a webhook"
      {...props}
      form={(steps) => <CreateWebhookForm mode={mode} {...steps} />}
    >
      {(created, guard) => <CreatedWebhook created={created} {...guard} />}
    </ShownOnceDialog>
  );
}

/** The webhook's page comes next. */
function CreatedWebhook({ created: { id, secret }, ...guard }: GuardProps & { readonly created: WebhookWithSecret }) {
  const navigate = useNavigate();
  const showWebhook = () => {
    guard.onGuardChange('off');
    void navigate({ to: '/webhooks/$id', params: { id }, ignoreBlocker: true });
  };
  return <WebhookSecret {...guard} secret={secret} onClose={showWebhook} />;
}

type CreateWebhookFormProps = {
  readonly mode: Mode;
  readonly onCancel: () => void;
  readonly onMade: (webhook: WebhookWithSecret) => void;
};

function CreateWebhookForm({ mode, onCancel, onMade }: CreateWebhookFormProps) {
  const { form, ...state } = useApiForm({
    initialValues: toNewValues(mode),
    submit: (values) =>
      request<WebhookWithSecret>('POST', webhooksPath, {
        ...toSettings(values),
        mode: values.mode,
      } satisfies CreateWebhookRequest),
    onDone: onMade,
    refresh: [webhooksKey],
  });
  return (
    <DialogForm {...state} action="Create webhook" onCancel={onCancel}>
      <WebhookFields form={form} />
      <NativeSelect
        label="Mode"
        description="A webhook for test mail gets the events of emails that test keys create."
        data={listOptions(modes)}
        {...form.getInputProps('mode')}
      />
    </DialogForm>
  );
}
