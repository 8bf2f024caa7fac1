import { Stack, TextInput } from '@mantine/core';
import type { Session, UpdateWorkspaceRequest, Workspace } from '@posthorn/contract';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { AccountSettings } from '../accounts/account-settings';
import { OwnersOnly, sessionQuery, useIsOwner, useSession, workspacesQuery } from '../accounts/session';
import { request } from '../api/request';
import { MembersSettings } from '../members/members-settings';
import { PrivacySettings } from '../privacy/privacy-settings';
import { RowForm, useApiForm } from '../ui/api-form';
import { Copyable } from '../ui/copyable';
import { Fact, Facts } from '../ui/facts';
import { Page, Section } from '../ui/page';
import { type Tab, TabView } from '../ui/tab-view';

const page = getRouteApi('/app-layout/settings');

type SettingsTab = NonNullable<ReturnType<typeof page.useSearch>['tab']>;

export function SettingsPage() {
  const { tab = 'workspace' } = page.useSearch();
  const navigate = page.useNavigate();
  const open = (chosen: string | null) => void navigate({ search: { tab: chosen as SettingsTab }, replace: true });
  const tabs: ReadonlyArray<Tab & { readonly name: SettingsTab }> = [
    { name: 'workspace', label: 'Workspace', content: <WorkspaceSettings /> },
    { name: 'members', label: 'Members', content: <MembersSettings /> },
    { name: 'privacy', label: 'Privacy', content: <PrivacySettings /> },
    { name: 'account', label: 'Your account', content: <AccountSettings /> },
  ];
  return (
    <Page title="Settings">
      <TabView aria-label="Settings" gap="lg" tabs={tabs} value={tab} onChange={open} />
    </Page>
  );
}

function WorkspaceSettings() {
  const { workspace } = useSession();
  const isOwner = useIsOwner();
  return (
    <Stack gap="lg">
      <Section title="Name" description="Visible to members and the people they invite.">
        {isOwner ? (
          <RenameForm name={workspace.name} />
        ) : (
          <Stack gap="xs">
            <b className="breakable">{workspace.name}</b>
            <OwnersOnly action="rename the workspace" />
          </Stack>
        )}
      </Section>
      <Section title="Identifiers" description="These do not change when you rename the workspace.">
        <Facts columns={1}>
          <Fact name="Slug">
            <Copyable value={workspace.slug} what="the slug" />
          </Fact>
          <Fact name="Platform sender">
            <Copyable value={workspace.platform_sender} what="the platform sender" />
          </Fact>
          <Fact name="Workspace ID">
            <Copyable value={workspace.id} what="the workspace ID" />
          </Fact>
        </Facts>
      </Section>
    </Stack>
  );
}

function RenameForm({ name }: { readonly name: string }) {
  const queryClient = useQueryClient();
  const { form, ...state } = useApiForm({
    initialValues: { name } satisfies UpdateWorkspaceRequest,
    submit: (values) => request<Workspace>('PATCH', '/api/v1/workspace', values),
    onDone(renamed) {
      queryClient.setQueryData<Session | null>(
        sessionQuery.queryKey,
        (session) => session && { ...session, workspace: { ...session.workspace, name: renamed.name } },
      );
      form.setInitialValues({ name: renamed.name });
      form.reset();
    },
    done: (renamed) => `Workspace renamed to ${renamed.name}.`,
    refresh: [workspacesQuery.queryKey],
  });
  return (
    <RowForm {...state} action="Rename" disabled={!form.isDirty()}>
      <TextInput
        aria-label="Workspace name"
        required
        autoComplete="off"
        flex="1 1 14rem"
        maw="28rem"
        {...form.getInputProps('name')}
      />
    </RowForm>
  );
}
