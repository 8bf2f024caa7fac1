import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './main.css';
import { MantineProvider } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { sessionQuery } from './accounts/session';
import { startOver } from './accounts/session-change';
import { createQueryClient } from './api/query-client';
import { queryString } from './api/query-string';
import { createPages } from './pages';
import { theme } from './theme';

const queryClient = createQueryClient(() => {
  // Whoever is at the door already stays.
  if (!queryClient.getQueryData(sessionQuery.queryKey)) return;
  startOver(`/login${queryString({ next: pages.state.location.href, notice: 'ended' })}`);
});
const pages = createPages(queryClient);

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        <ModalsProvider>
          <Notifications position="bottom-right" />
          <RouterProvider router={pages} />
        </ModalsProvider>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
