import { AppShell, Burger, Group, ScrollArea, useMantineTheme } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { Outlet } from '@tanstack/react-router';
import { useReloadOnSessionChange } from '../accounts/use-reload-on-session-change';
import { AccountMenu } from './account-menu';
import { ColorSchemeSwitch } from './color-scheme-switch';
import { Logo } from './logo';
import { Navigation } from './navigation';

/** What is around every page of those who are logged in. */
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
            <ColorSchemeSwitch />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      {/* Mantine only pushes it out of sight: the keyboard would still get there. */}
      <AppShell.Navbar p="sm" component="nav" aria-label="Main" inert={!isWide && !opened}>
        <ScrollArea type="auto">
          <Navigation onNavigate={close} />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content">
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}
