import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '../main.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from '../api/query-client';
import { theme } from '../theme';
import { InboxFrame } from './inbox-frame';
import { MessageListPage } from './message-list-page';
import { MessagePage } from './message-page';

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
