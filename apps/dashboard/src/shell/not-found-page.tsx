import { Button, Container } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { EmptyState } from '../ui/empty-state';

export function NotFoundPage() {
  return (
    <Container component="main" py="xl">
      <EmptyState title="Page not found" text="The address may be wrong, or the page no longer exists.">
        <Button component={Link} to="/">
          Go to overview
        </Button>
      </EmptyState>
    </Container>
  );
}
