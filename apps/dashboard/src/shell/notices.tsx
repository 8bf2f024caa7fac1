import { Alert, Box, Stack, Text, Textarea } from '@mantine/core';
import { dayLimits, type Message, type Workspace, type WorkspacePause } from '@posthorn/contract';
import { useQueryClient } from '@tanstack/react-query';
import { sessionQuery, useIsOwner, useSession } from '../accounts/session';
import { request } from '../api/request';
import { DialogForm, useApiForm } from '../ui/api-form';
import { ChangeButton, DialogButton } from '../ui/buttons';
import { IconMail, IconPlayerPause } from '../ui/icons';
import { InlineLink } from '../ui/links';
import { RelativeTime } from '../ui/timestamp';
import { useChange } from '../ui/use-change';

/** Shown on every page until the user confirms the email address. */
export function UnverifiedNotice() {
  const { user } = useSession();
  const resend = useChange({
    change: () => request<Message>('POST', '/auth/resend-verification'),
    done: ({ detail }) => detail,
    // The address may have been confirmed in another browser.
    refresh: [sessionQuery.queryKey],
  });
  if (user.email_verified) return null;
  return (
    <Box maw="var(--page-width)" mx="auto" mb="lg">
      <Alert role="region" color="orange" title="Confirm your email address" icon={<IconMail />}>
        <Stack gap="sm" align="flex-start">
          <Text className="breakable">
            We emailed a link to {user.email}. Until you open it, you can send email to this address only, and you
            cannot invite anyone. Accounts that nobody confirms are deleted after {dayLimits.unconfirmed} days.
          </Text>
          <ChangeButton change={resend} label="Send the link again" size="xs" />
        </Stack>
      </Alert>
    </Box>
  );
}

/** Who can resume the workspace. Completes "See what bounced and fix the cause." */
function getWayOut({ by, owner_can_resume: canResume }: WorkspacePause, isOwner: boolean): string {
  if (canResume) return isOwner ? '' : 'An owner of the workspace can then resume sending.';
  return by === 'operator'
    ? 'Then ask the operator of this service, who has paused the workspace, to resume it.'
    : 'Then ask the operator of this service to resume the workspace: an owner has resumed it not long ago.';
}

function ResumeButton() {
  return (
    <DialogButton label="Resume sending" title="Resume sending" size="xs" style={{ alignSelf: 'flex-start' }}>
      {(close) => <ResumeForm onClose={close} />}
    </DialogButton>
  );
}

function ResumeForm({ onClose }: { readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const { form, ...state } = useApiForm({
    initialValues: { reason: '' },
    submit: (values) => request<Workspace>('POST', '/api/v1/workspace/resume', values),
    // Other processes know the old session for a second, so it is not fetched again.
    onDone(workspace) {
      queryClient.setQueryData(sessionQuery.queryKey, (session) => session && { ...session, workspace });
      onClose();
    },
    done: () => 'Sending is resumed.',
    refresh: [['deliverability']],
  });
  return (
    <DialogForm {...state} action="Resume sending" onCancel={onClose}>
      <Text>
        What was counted until now does not pause the workspace again. If it is paused again within{' '}
        {dayLimits.ownerResume} days, only the operator of this service can resume it.
      </Text>
      <Textarea
        label="What have you done about the cause?"
        description="The audit log keeps the answer."
        required
        data-autofocus
        autosize
        minRows={2}
        maxRows={6}
        {...form.getInputProps('reason')}
      />
    </DialogForm>
  );
}

/** Shown on every page while the workspace is paused. */
export function PausedNotice() {
  const { workspace } = useSession();
  const isOwner = useIsOwner();
  if (workspace.paused === null) return null;
  const { since, reason, owner_can_resume: canResume } = workspace.paused;
  return (
    <Box maw="var(--page-width)" mx="auto" mb="lg">
      <Alert role="region" color="red" title="Sending is paused" icon={<IconPlayerPause />}>
        <Stack gap="xs">
          <Text className="breakable">{reason}</Text>
          <Text component="div">
            New emails have been refused since <RelativeTime value={since} />. Emails that were already accepted are
            still sent, and test mail still works.{' '}
            <InlineLink to="/deliverability" c="inherit">
              See what bounced
            </InlineLink>{' '}
            and fix the cause. {getWayOut(workspace.paused, isOwner)}
          </Text>
          {canResume && isOwner && <ResumeButton />}
        </Stack>
      </Alert>
    </Box>
  );
}
