import { Button, Container } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { EmptyState } from '../ui/empty-state';

export function NotFoundPage() {
  return (
    <Container component="main" py="xl">
      <EmptyState title="There is nothing here" text="The address of this page is wrong, or what it showed is gone.">
        <Button component={Link} to="/">
          To the overview
        </Button>
      </EmptyState>
    </Container>
  );
}
