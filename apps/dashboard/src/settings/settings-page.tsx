import { Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { AccountSettings } from '../accounts/account-settings';
import { MembersSettings } from '../members/members-settings';
import { PrivacySettings } from '../privacy/privacy-settings';
import { Page } from '../ui/page';
import { isSettingsTab, type SettingsTab, settingsTabs } from './settings-tab';
import { WorkspaceSettings } from './workspace-settings';

const page = getRouteApi('/app-layout/settings');

const names: Record<SettingsTab, string> = {
  workspace: 'Workspace',
  members: 'Members',
  privacy: 'Privacy',
  account: 'Your account',
};

export function SettingsPage() {
  const { tab = 'workspace' } = page.useSearch();
  const navigate = page.useNavigate();
  const open = (chosen: string | null) => {
    if (isSettingsTab(chosen)) void navigate({ search: { tab: chosen }, replace: true });
  };
  return (
    <Page title="Settings">
      <Tabs value={tab} onChange={open} keepMounted={false}>
        <Tabs.List mb="lg" aria-label="Settings">
          {settingsTabs.map((value) => (
            <Tabs.Tab key={value} value={value}>
              {names[value]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="workspace">
          <WorkspaceSettings />
        </Tabs.Panel>
        <Tabs.Panel value="members">
          <MembersSettings />
        </Tabs.Panel>
        <Tabs.Panel value="privacy">
          <PrivacySettings />
        </Tabs.Panel>
        <Tabs.Panel value="account">
          <AccountSettings />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
