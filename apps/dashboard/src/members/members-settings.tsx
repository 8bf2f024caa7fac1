import { ActionIcon, Menu, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import {
  type ChangeRoleRequest,
  dayLimits,
  type InviteMemberRequest,
  type List,
  type Member,
  roles,
} from '@posthorn/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { goToLogin, OwnersOnly, useIsOwner, useSession, workspacesQuery } from '../accounts/session';
import { get, request, toPath } from '../api/request';
import { RowForm, useApiForm } from '../ui/api-form';
import { type Column, DataTable } from '../ui/data-table';
import { StatusBadge } from '../ui/facts';
import { listOptions, toLabel } from '../ui/format';
import { IconDots } from '../ui/icons';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/page';
import { TableSkeleton } from '../ui/skeletons';
import { RelativeTime } from '../ui/timestamp';
import { type ChangeOptions, useChange } from '../ui/use-change';

export function MembersSettings() {
  const query = useQuery(membersQuery);
  const isOwner = useIsOwner();
  const { user } = useSession();
  return (
    <Stack gap="lg">
      {isOwner && (
        <Section
          title="Invite someone"
          description={`We will email them a link that works for ${dayLimits.invitation} days.`}
        >
          {user.email_verified ? (
            <InviteForm />
          ) : (
            <Text>Confirm your email address first. Then you can invite people.</Text>
          )}
        </Section>
      )}
      <Section
        title="Members"
        description="All members can send and read emails and edit templates. Owners can also manage members, API keys and domains."
        gap="sm"
      >
        <OwnersOnly action="invite, remove and change members" />
        <Loaded query={query} skeleton={<TableSkeleton rows={2} />}>
          {({ data }) => <DataTable verticalSpacing="xs" rows={data} columns={columns} />}
        </Loaded>
      </Section>
    </Stack>
  );
}

function InviteForm() {
  const { form, ...state } = useApiForm<InviteMemberRequest, Member>({
    initialValues: { email: '', role: 'member' },
    submit: (values) => request('POST', membersPath, values),
    onDone: () => void form.reset(),
    done: ({ email }) => `Invitation sent to ${email}.`,
    refresh: [membersQuery.queryKey],
  });
  return (
    <RowForm {...state} action="Invite" mt="1.55rem">
      <TextInput
        label="Email"
        type="email"
        autoComplete="off"
        required
        withAsterisk={false}
        flex="1 1 14rem"
        maw="28rem"
        {...form.getInputProps('email')}
      />
      <NativeSelect label="Role" data={listOptions(roles.toReversed())} {...form.getInputProps('role')} />
    </RowForm>
  );
}

const statusColors = { active: 'green', invited: 'blue', expired: 'orange' } as const;

const columns: ReadonlyArray<Column<Member>> = [
  { name: 'Email', isBreakable: true, cell: (member) => <EmailCell member={member} /> },
  { name: 'Role', from: 'sm', cell: ({ role }) => toLabel(role) },
  { name: 'Status', cell: ({ status }) => <StatusBadge color={statusColors[status]} label={toLabel(status)} /> },
  { name: 'Added', from: 'sm', cell: ({ created_at }) => <RelativeTime value={created_at} /> },
  { name: 'Actions', isNameHidden: true, w: 44, ta: 'right', cell: (member) => <MemberMenu member={member} /> },
];

function EmailCell({ member: { id, email, role } }: { readonly member: Member }) {
  const { user } = useSession();
  return (
    <>
      {email}
      {id === user.id && (
        <Text span c="dimmed">
          {' '}
          (you)
        </Text>
      )}
      <Text hiddenFrom="sm" c="dimmed">
        {toLabel(role)}
      </Text>
    </>
  );
}

/** Owners can change every member. Members can only leave. */
function MemberMenu({ member }: { readonly member: Member }) {
  const { id, email, role, status } = member;
  const isOwner = useIsOwner();
  const { user, workspace } = useSession();
  const isActive = status === 'active';
  const isSelf = id === user.id;
  const other = role === 'owner' ? 'member' : 'owner';
  const changeRole = useMemberChange({
    change: () => request('PATCH', toPath(membersPath, id), { role: other } satisfies ChangeRoleRequest),
    // Only another owner can undo this.
    ...(isSelf && { question: stepDownQuestion }),
    done: () => `${email} ${isActive ? 'is now' : 'will be'} ${other === 'owner' ? 'an owner' : 'a member'}.`,
  });
  const resend = useMemberChange({
    change: () => request('POST', `${toPath(membersPath, id)}/resend`),
    done: () => `We sent a new link to ${email}. The earlier link no longer works.`,
  });
  const remove = useMemberChange({
    change: () => request('DELETE', toPath(membersPath, id)),
    question: buildRemoveQuestion(member),
    done: () => `${email} was removed.`,
  });
  const leave = useChange({
    change: () => request('DELETE', toPath(membersPath, id)),
    question: {
      title: `Leave ${workspace.name}?`,
      text: 'You will be logged out. To return, you need a new invitation from an owner.',
      action: 'Leave workspace',
    },
    onDone: goToLogin,
  });
  if (!isOwner && !isSelf) return null;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${email}`}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {!isActive && <Menu.Item onClick={() => resend.run()}>Resend invitation</Menu.Item>}
        {isOwner && <Menu.Item onClick={() => changeRole.run()}>Make {other}</Menu.Item>}
        {isSelf ? (
          <Menu.Item onClick={() => leave.run()}>Leave workspace</Menu.Item>
        ) : (
          <Menu.Item onClick={() => remove.run()}>{isActive ? 'Remove member' : 'Revoke invitation'}</Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Refreshes the list and the user's own role, which may have changed too. */
function useMemberChange(options: Omit<ChangeOptions<void, unknown>, 'refresh'>) {
  return useChange({ ...options, refresh: [membersQuery.queryKey, workspacesQuery.queryKey] });
}

const stepDownQuestion = {
  title: 'Step down as owner?',
  text: 'You will no longer be able to manage members, API keys and domains. Only another owner can make you an owner again.',
  action: 'Step down',
};

function buildRemoveQuestion({ email, status }: Member) {
  if (status === 'active') {
    return {
      title: `Remove ${email}?`,
      text: 'They lose access to this workspace immediately. Everything they created stays, including API keys.',
      action: 'Remove member',
    };
  }
  return {
    title: 'Revoke this invitation?',
    text: `The link that we emailed to ${email} will stop working.`,
    action: 'Revoke invitation',
  };
}

const membersPath = '/api/v1/members';

/** Invitations, then members, both newest first. */
const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: () => get<List<Member>>(membersPath),
});
