import { Box, Center, Container, Group, Text } from '@mantine/core';
import { Link, Outlet } from '@tanstack/react-router';
import { ColorSchemeSwitch } from './color-scheme-switch';

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

export function Logo() {
  return (
    <Group component={Link} {...{ to: '/' }} gap={8} wrap="nowrap" style={{ color: 'inherit', textDecoration: 'none' }}>
      <img src="/favicon.svg" alt="" width={26} height={26} />
      <Text fw={700} size="lg">
        Posthorn
      </Text>
    </Group>
  );
}
