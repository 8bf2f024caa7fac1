import { ActionIcon, Button, Group, Menu, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import type { ChangeRoleRequest, InviteMemberRequest, List, Member, Role } from '@posthorn/contract';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { goToLogin, OwnersOnly, useIsOwner, useSession, workspacesQuery } from '../accounts/session';
import { get, request } from '../api/request';
import { ApiForm, useApiForm } from '../ui/api-form';
import { type Column, DataTable } from '../ui/data-table';
import { StatusBadge } from '../ui/facts';
import { IconDots } from '../ui/icons';
import { Loaded, ProblemAlert } from '../ui/loaded';
import { confirm, notifyDone, notifyProblem } from '../ui/notify';
import { Section } from '../ui/page';
import { TableSkeleton } from '../ui/skeletons';
import { RelativeTime } from '../ui/timestamp';

export function MembersSettings() {
  const query = useQuery(membersQuery);
  const isOwner = useIsOwner();
  const { user } = useSession();
  return (
    <Stack gap="lg">
      {isOwner && (
        <Section title="Invite someone" description="We will email them a link that works for 7 days.">
          {user.email_verified ? (
            <InviteForm />
          ) : (
            <Text size="sm">Confirm your email address first. Then you can invite people.</Text>
          )}
        </Section>
      )}
      <Section
        title="Members"
        description="All members can send and read emails and edit templates. Owners can also manage members, API keys and domains."
      >
        <Stack gap="sm">
          <OwnersOnly action="invite, remove and change members" />
          <Loaded query={query} skeleton={<TableSkeleton rows={2} />}>
            {({ data }) => <DataTable verticalSpacing="xs" rows={data} columns={columns} />}
          </Loaded>
        </Stack>
      </Section>
    </Stack>
  );
}

function InviteForm() {
  const queryClient = useQueryClient();
  const { form, problem, pending, onSubmit } = useApiForm<InviteMemberRequest, Member>({
    initialValues: { email: '', role: 'member' },
    submit: (values) => request('POST', membersPath, values),
    onDone({ email }) {
      form.reset();
      notifyDone(`Invitation sent to ${email}.`);
      void queryClient.invalidateQueries(membersQuery);
    },
  });
  return (
    <ApiForm onSubmit={onSubmit}>
      <Stack>
        <ProblemAlert error={problem} />
        <Group align="flex-start" gap="sm">
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
          <NativeSelect
            label="Role"
            data={['member', 'owner'].map((value) => ({ value, label: roleNames[value as Role] }))}
            {...form.getInputProps('role')}
          />
          <Button type="submit" loading={pending} mt="1.55rem">
            Invite
          </Button>
        </Group>
      </Stack>
    </ApiForm>
  );
}

const statuses = {
  active: { color: 'green', label: 'Active' },
  invited: { color: 'blue', label: 'Invited' },
  expired: { color: 'orange', label: 'Expired' },
} as const;

const roleNames = { owner: 'Owner', member: 'Member' } as const;

const columns: ReadonlyArray<Column<Member>> = [
  { name: 'Email', isBreakable: true, cell: (member) => <EmailCell member={member} /> },
  { name: 'Role', from: 'sm', cell: ({ role }) => roleNames[role] },
  { name: 'Status', cell: ({ status }) => <StatusBadge {...statuses[status]} /> },
  { name: 'Added', from: 'sm', cell: ({ created_at }) => <RelativeTime value={created_at} /> },
  { name: 'Actions', isNameHidden: true, w: 44, ta: 'right', cell: (member) => <MemberMenu member={member} /> },
];

function EmailCell({ member: { id, email, role } }: { readonly member: Member }) {
  const { user } = useSession();
  return (
    <>
      {email}
      {id === user.id && (
        <Text span c="dimmed" size="sm">
          {' '}
          (you)
        </Text>
      )}
      <Text hiddenFrom="sm" c="dimmed" size="sm">
        {roleNames[role]}
      </Text>
    </>
  );
}

/** Owners can change every member. Members can only leave. */
function MemberMenu({ member }: { readonly member: Member }) {
  const isOwner = useIsOwner();
  const { user } = useSession();
  const changeRole = useChangeRole(member);
  const resend = useResendInvitation(member);
  const remove = useRemoveMember(member);
  const isActive = member.status === 'active';
  const isSelf = member.id === user.id;
  if (!isOwner && !isSelf) return null;
  const removal = isSelf ? 'Leave workspace' : 'Remove member';
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${member.email}`}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {!isActive && <Menu.Item onClick={resend}>Resend invitation</Menu.Item>}
        {isOwner && member.role === 'member' && <Menu.Item onClick={() => changeRole('owner')}>Make owner</Menu.Item>}
        {isOwner && member.role === 'owner' && <Menu.Item onClick={() => changeRole('member')}>Make member</Menu.Item>}
        <Menu.Item onClick={remove}>{isActive ? removal : 'Revoke invitation'}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Asks owners for confirmation before they step down, because only another owner can undo this. */
function useChangeRole({ id, email, status }: Member): (role: Role) => Promise<void> {
  const { user } = useSession();
  const change = useMemberMutation();
  return async (role) => {
    if (id === user.id && !(await confirm(stepDownQuestion))) return;
    change({
      act: () => request('PATCH', memberPath(id), { role } satisfies ChangeRoleRequest),
      done: `${email} ${status === 'active' ? 'is now' : 'will be'} ${role === 'owner' ? 'an owner' : 'a member'}.`,
    });
  };
}

const stepDownQuestion = {
  title: 'Step down as owner?',
  text: 'You will no longer be able to manage members, API keys and domains. Only another owner can make you an owner again.',
  action: 'Step down',
};

function useResendInvitation({ id, email }: Member): () => void {
  const change = useMemberMutation();
  return () =>
    change({
      act: () => request('POST', `${memberPath(id)}/resend`),
      done: `We sent a new link to ${email}. The earlier link no longer works.`,
    });
}

/** Removes a member or revokes an invitation, after the user confirms. Users who leave are logged out. */
function useRemoveMember(member: Member): () => Promise<void> {
  const { user, workspace } = useSession();
  const change = useMemberMutation();
  const act = () => request('DELETE', memberPath(member.id));
  const leave = useMutation({ mutationFn: act, onSuccess: () => goToLogin(), onError: notifyProblem });
  return async () => {
    const isSelf = member.id === user.id;
    if (!(await confirm(isSelf ? leaveQuestion(workspace.name) : removeQuestion(member)))) return;
    if (isSelf) leave.mutate();
    else change({ act, done: `${member.email} was removed.` });
  };
}

function leaveQuestion(workspace: string) {
  return {
    title: `Leave ${workspace}?`,
    text: 'You will be logged out. To return, you need a new invitation from an owner.',
    action: 'Leave workspace',
  };
}

function removeQuestion({ email, status }: Member) {
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

type Change = {
  readonly act: () => Promise<unknown>;
  /** The notice on success. */
  readonly done: string;
};

/** Changes a member, then reloads the list and the user's own role, which may have changed too. */
function useMemberMutation(): (change: Change) => void {
  const queryClient = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: ({ act }: Change) => act(),
    onSuccess: (_, { done }) => notifyDone(done),
    onError: notifyProblem,
    // Reloads after an error too, because another owner may have changed the list in the meantime.
    onSettled: () =>
      Promise.all([queryClient.invalidateQueries(membersQuery), queryClient.invalidateQueries(workspacesQuery)]),
  });
  return mutate;
}

const membersPath = '/api/v1/members';

function memberPath(id: string): string {
  return `${membersPath}/${encodeURIComponent(id)}`;
}

/** Invitations, then members, both newest first. */
const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: () => get<List<Member>>(membersPath),
});
