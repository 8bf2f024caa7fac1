import { Box, Code, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ColorSchemeSwitch } from '../shell/color-scheme-switch';
import { infoQuery } from './queries';

/** The frame of every page of the inbox: its name at the top, and its SMTP server at the bottom. */
export function InboxFrame({ children }: { readonly children: ReactNode }) {
  const { data: info } = useQuery(infoQuery);
  return (
    <Box mih="100vh">
      <Group component="header" justify="space-between" p="md">
        <Group
          component="a"
          {...{ href: '/' }}
          gap={8}
          wrap="nowrap"
          style={{ color: 'inherit', textDecoration: 'none' }}
        >
          <img src="/favicon.svg" alt="" width={26} height={26} />
          <Text fw={700} size="lg">
            Posthorn inbox
          </Text>
        </Group>
        <ColorSchemeSwitch />
      </Group>
      <Box component="main" px={{ base: 'md', sm: 'xl' }} pb="xl">
        {children}
      </Box>
      <Box component="footer" px={{ base: 'md', sm: 'xl' }} pb="xl">
        {info && (
          <Text size="sm" c="dimmed" maw="var(--page-width)" mx="auto">
            SMTP server: <Code>{info.SMTPServer}</Code> (no login, no TLS). Messages are shown here and never delivered.
            The inbox keeps the newest {info.MaxMessages}.
          </Text>
        )}
      </Box>
    </Box>
  );
}
