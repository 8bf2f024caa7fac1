import { Button, Group, Modal, Skeleton, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Email } from '@posthorn/contract';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ApiError, isApiError, request, toPath } from '../api/request';
import { DialogForm, useApiForm } from '../ui/api-form';
import { ChangeButton } from '../ui/buttons';
import { StatusBadge } from '../ui/facts';
import { readLocalInput, toLocalInput } from '../ui/format';
import { ButtonLink } from '../ui/links';
import { Loaded, RequestId } from '../ui/loaded';
import { EmptyState, Page } from '../ui/page';
import { EmailSkeleton } from '../ui/skeletons';
import { RelativeTime } from '../ui/timestamp';
import { useChange } from '../ui/use-change';
import { EmailDetail } from './email-detail';
import { isChangeable, mayBeWithServer } from './email-status';
import { EmailStatusBadge } from './email-table';
import { emailQuery, emailsKey, emailsPath } from './queries';

const page = getRouteApi('/app-layout/emails/$id');

export function EmailPage() {
  const { id } = page.useParams();
  const query = useQuery(emailQuery(id));
  if (isApiError(query.error, 'not_found')) return <EmailNotFound error={query.error} />;
  const email = query.data;
  return (
    <Page
      title={email === undefined ? 'Email' : email.subject || '(no subject)'}
      description={describe(query)}
      actions={
        email && (
          <>
            <EmailActions email={email} />
            {email.mode === 'live' && <SendAgain id={email.id} />}
          </>
        )
      }
    >
      <Loaded query={query} skeleton={<EmailSkeleton />}>
        {(loaded) => <EmailDetail key={loaded.id} email={loaded} />}
      </Loaded>
    </Page>
  );
}

/** The status, or a placeholder until it is known. After an error, the page shows only the error. */
function describe({ data, isPending }: UseQueryResult<Email>) {
  if (data !== undefined) return <EmailStatusLine email={data} />;
  return isPending ? <Skeleton height={26} width="60%" /> : undefined;
}

/** Test mail cannot be sent again, because a session sends live mail, and test data must not reach anyone. */
function SendAgain({ id }: { readonly id: string }) {
  return (
    <ButtonLink variant="default" to="/emails/new" search={{ from: id }}>
      Send again
    </ButtonLink>
  );
}

function EmailNotFound({ error }: { readonly error: ApiError }) {
  return (
    <Page title="Email not found">
      <EmptyState
        title="No email has this ID"
        text="The address may be incomplete, or the email may belong to another workspace. You can switch workspaces in the menu at the top."
      >
        <ButtonLink to="/emails">Go to emails</ButtonLink>
      </EmptyState>
      <RequestId error={error} />
    </Page>
  );
}

/** The email's status, and where it is and why. Screen readers announce changes. */
function EmailStatusLine({ email }: { readonly email: Email }) {
  return (
    <Group gap="sm" align="flex-start" wrap="nowrap" mt="xs" role="status">
      <EmailStatusBadge status={email.status} />
      {email.mode === 'test' && <StatusBadge color="grape" label="Test" />}
      <Text component="div" pt={3}>
        {email.mode === 'test' && 'This is test mail, which is never sent to anyone. '}
        {email.explanation} <NextTime email={email} />
        {mayBeWithServer(email) && <MayBeWithServer />}
      </Text>
    </Group>
  );
}

/** The explanation has the time in UTC. */
function NextTime({ email: { status, scheduled_at, next_attempt_at } }: { readonly email: Email }) {
  const at = status === 'scheduled' ? scheduled_at : next_attempt_at;
  if (at === null) return null;
  return (
    <>
      That is <RelativeTime value={at} />.
    </>
  );
}

function MayBeWithServer() {
  return (
    <>
      {' '}
      The result of an attempt is unknown, so a mail server may already have the email. It can no longer be canceled or
      rescheduled.
    </>
  );
}

function EmailActions({ email }: { readonly email: Email }) {
  const [opened, { open, close }] = useDisclosure();
  const cancel = useChange({
    change: () => request<Email>('POST', `${toPath(emailsPath, email.id)}/cancel`),
    question: buildCancelQuestion(email),
    done: () => 'Email canceled.',
    refresh: [emailsKey],
  });
  return (
    <>
      {isChangeable(email) && (
        <>
          <Button variant="default" onClick={open}>
            Reschedule
          </Button>
          <ChangeButton change={cancel} label="Cancel email" />
        </>
      )}
      {/* Stays open when a worker picks up the email in the meantime, to show that it is too late. */}
      <Modal opened={opened} onClose={close} title="Reschedule email">
        <RescheduleForm email={email} onClose={close} />
      </Modal>
    </>
  );
}

function buildCancelQuestion({ mode, recipients }: Email) {
  const isPartlySent = recipients.some(({ status }) => status === 'sent' || status === 'delivered');
  // Test mail is not counted, so nothing is credited back.
  const [theirs, its] =
    mode === 'test' ? ['', ''] : [', and their sends are credited back', ', and its sends are credited back'];
  return {
    title: 'Cancel this email?',
    text: isPartlySent
      ? `Recipients who already have it will keep it. The others will not get it${theirs}.`
      : `It will not be sent${its}. This cannot be undone.`,
    action: 'Cancel email',
    dismiss: 'Keep email',
  };
}

const HOUR_MS = 3_600_000;

type RescheduleFormProps = { readonly email: Email; readonly onClose: () => void };

function RescheduleForm({ email, onClose }: RescheduleFormProps) {
  const { form, ...state } = useApiForm({
    initialValues: { scheduled_at: toLocalInput(getInitialTime(email)) },
    submit: ({ scheduled_at }) =>
      request<Email>('PATCH', toPath(emailsPath, email.id), { scheduled_at: readLocalInput(scheduled_at) }),
    onDone: onClose,
    done: () => 'Email rescheduled.',
    refresh: [emailsKey],
  });
  return (
    <DialogForm {...state} action="Reschedule" cancel="Keep current time" onCancel={onClose}>
      <TextInput
        label="Send at"
        description={`In your time zone, ${Intl.DateTimeFormat().resolvedOptions().timeZone}. At most 30 days from now.`}
        type="datetime-local"
        required
        data-autofocus
        {...form.getInputProps('scheduled_at')}
      />
    </DialogForm>
  );
}

/** The scheduled time if it is in the future, otherwise one hour from now. */
function getInitialTime({ scheduled_at: scheduledAt }: Email): Date {
  const inAnHour = new Date(Date.now() + HOUR_MS);
  if (scheduledAt === null) return inAnHour;
  const planned = new Date(scheduledAt);
  return planned.getTime() > Date.now() ? planned : inAnHour;
}
