import { AppShell, Burger, Group, ScrollArea, useMantineTheme } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { Outlet } from '@tanstack/react-router';
import { UnverifiedNotice } from '../accounts/unverified-notice';
import { useReloadOnSessionChange } from '../accounts/use-reload-on-session-change';
import { PausedNotice } from '../deliverability/paused-notice';
import { AccountMenu } from './account-menu';
import { ColorSchemeSwitch } from './color-scheme-switch';
import { Logo } from './logo';
import { Navigation } from './navigation';
import { PaletteButton } from './palette/palette-button';

/** The frame of every page that needs a session. */
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
