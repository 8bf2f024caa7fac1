import { Button, Container, Group } from '@mantine/core';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ApiError } from '../api/request';
import { ProblemAlert } from '../ui/problem-alert';

const RETRY_MS = 5_000;

/** Replaces a page that failed to load. After an API error it retries, so the page appears once the server is back. */
export function ErrorPage({ error }: ErrorComponentProps) {
  const pages = useRouter();
  useEffect(() => {
    if (!(error instanceof ApiError)) return;
    const timer = setTimeout(() => pages.invalidate(), RETRY_MS);
    return () => clearTimeout(timer);
  }, [error, pages]);
  return (
    <Container component="main" py="xl">
      <ProblemAlert error={error instanceof Error ? error : new Error(String(error))} />
      <Group mt="md">
        <Button onClick={() => location.reload()}>Reload page</Button>
      </Group>
    </Container>
  );
}
