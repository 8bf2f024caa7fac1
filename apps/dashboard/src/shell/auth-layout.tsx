import { Box, Center, Container, Group } from '@mantine/core';
import { Outlet } from '@tanstack/react-router';
import { ColorSchemeSwitch } from './color-scheme-switch';
import { Logo } from './logo';

/** The frame of the pages for visitors who are not logged in. */
export function AuthLayout() {
  return (
    <Box mih="100vh">
      <Group component="header" justify="space-between" p="md">
        <Logo />
        <ColorSchemeSwitch />
      </Group>
      <Center component="main" id="content">
        <Container size={440} w="100%" py="xl">
          <Outlet />
        </Container>
      </Center>
    </Box>
  );
}
