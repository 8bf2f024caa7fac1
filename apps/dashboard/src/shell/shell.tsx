import { AppShell, Burger, Button, Group, Menu, NavLink, ScrollArea, Text, useMantineTheme } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import {
  goToLogin,
  reloadAllTabs,
  useIsOwner,
  useReloadOnSessionChange,
  useSession,
  workspacesQuery,
} from '../accounts/session';
import { request } from '../api/request';
import { IconBook, IconCheck, IconChevronDown, IconCode, IconLogout, IconSettings } from '../ui/icons';
import { useChange } from '../ui/use-change';
import { Logo } from './auth-layout';
import { ColorSchemeSwitch } from './color-scheme-switch';
import { apiItems, itemsAfterApi, itemsBeforeApi, type NavItem } from './nav-items';
import { PausedNotice, UnverifiedNotice } from './notices';
import { PaletteButton } from './palette';

export function Shell() {
  useReloadOnSessionChange();
  const [opened, { toggle, close }] = useDisclosure();
  const { breakpoints } = useMantineTheme();
  const isWide = useMediaQuery(`(min-width: ${breakpoints.sm})`, undefined, { getInitialValueInEffect: false });
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', sm: 'xl' }}
    >
      <a href="#content" className="skip-link">
        Skip to content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label="Menu"
              aria-expanded={opened}
            />
            <Logo />
          </Group>
          <Group gap="xs" wrap="nowrap">
            <PaletteButton />
            <ColorSchemeSwitch />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      {/* Mantine only moves the closed menu off screen; `inert` keeps the keyboard out of it. */}
      <AppShell.Navbar p="sm" component="nav" aria-label="Main" inert={!isWide && !opened}>
        <ScrollArea type="auto">
          <Navigation onNavigate={close} />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content">
        <UnverifiedNotice />
        <PausedNotice />
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}

function AccountMenu() {
  const { user, workspace } = useSession();
  const { data: workspaces } = useQuery(workspacesQuery);
  const switchTo = useChange({
    change: (id: string) => request('POST', '/auth/switch', { workspace_id: id }),
    onDone: () => reloadAllTabs(),
  });
  const logOut = useChange({ change: () => request('POST', '/auth/logout'), onDone: goToLogin });
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
          <Text truncate c="var(--mantine-color-text)">
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
            onClick={() => !current && switchTo.run(id)}
          >
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component={Link} to="/settings" leftSection={<IconSettings size={16} />}>
          Settings
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => logOut.run()}>
          Log out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function Navigation({ onNavigate }: { readonly onNavigate: () => void }) {
  const { pathname } = useLocation();
  const isOwner = useIsOwner();
  const renderItem = ({ to, label, icon: Icon }: NavItem) => {
    const active = to === '/' ? pathname === '/' : pathname.startsWith(to);
    return (
      <NavLink
        key={to}
        component={Link}
        to={to}
        label={label}
        leftSection={<Icon size={18} stroke={1.6} />}
        active={active}
        {...(active && { 'aria-current': 'page' as const })}
        onClick={onNavigate}
      />
    );
  };
  return (
    <>
      {itemsBeforeApi.map(renderItem)}
      <NavLink label="API" leftSection={<IconCode size={18} stroke={1.6} />} defaultOpened childrenOffset={24}>
        {apiItems.map(renderItem)}
        <NavLink href="/docs" label="Reference" target="_blank" leftSection={<IconBook size={18} stroke={1.6} />} />
      </NavLink>
      {itemsAfterApi.filter(({ ownersOnly }) => isOwner || !ownersOnly).map(renderItem)}
    </>
  );
}
