import { Button, Menu, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { goToLogin } from '../accounts/go-to-login';
import { reloadAllTabs } from '../accounts/reload-all-tabs';
import { useSession } from '../accounts/session';
import { workspacesQuery } from '../accounts/workspaces';
import { request } from '../api/request';
import { IconCheck, IconChevronDown, IconLogout, IconSettings } from '../ui/icons';
import { notifyProblem } from '../ui/notify';

/** Shows the user and the current workspace. Users can switch to another workspace here. */
export function AccountMenu() {
  const { user, workspace } = useSession();
  const { data: workspaces } = useQuery(workspacesQuery);
  const switchTo = useMutation({
    mutationFn: (id: string) => request('POST', '/auth/switch', { workspace_id: id }),
    onSuccess: () => reloadAllTabs(),
    onError: notifyProblem,
  });
  const logOut = useMutation({
    mutationFn: () => request('POST', '/auth/logout'),
    onSuccess: () => goToLogin(),
    onError: notifyProblem,
  });
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          maw={{ base: 150, xs: 240 }}
          px="xs"
          rightSection={<IconChevronDown size={14} />}
        >
          <Text truncate size="sm" c="var(--mantine-color-text)">
            {workspace.name}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className="breakable">{user.email}</Menu.Label>
        {(workspaces?.data ?? []).map(({ id, name, current }) => (
          <Menu.Item
            key={id}
            leftSection={<IconCheck size={16} opacity={current ? 1 : 0} />}
            aria-current={current}
            onClick={() => !current && switchTo.mutate(id)}
          >
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component={Link} to="/settings" leftSection={<IconSettings size={16} />}>
          Settings
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => logOut.mutate()}>
          Log out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
