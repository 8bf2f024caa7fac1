import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '../main.css';
import { Box, Code, Group, MantineProvider, Text } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from '../api/query-client';
import { ColorSchemeSwitch } from '../shell/color-scheme-switch';
import { theme } from '../theme';
import { MessageListPage } from './message-list-page';
import { MessagePage } from './message-page';
import { infoQuery } from './queries';

/** The inbox has two pages, and every link loads a new one, so it needs no router. */
const id = /^\/messages\/([^/]+)$/.exec(location.pathname)?.[1];
const start = Number(new URLSearchParams(location.search).get('start')) || 0;

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <QueryClientProvider client={createQueryClient(() => {})}>
        <Notifications position="bottom-right" />
        <InboxFrame>{id === undefined ? <MessageListPage start={start} /> : <MessagePage id={id} />}</InboxFrame>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);

function InboxFrame({ children }: { readonly children: ReactNode }) {
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
          <Text c="dimmed" maw="var(--page-width)" mx="auto">
            SMTP server: <Code>{info.SMTPServer}</Code> (no login, no TLS). Messages are shown here and never delivered.
            The inbox keeps the newest {info.MaxMessages}.
          </Text>
        )}
      </Box>
    </Box>
  );
}
