import { Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { FirstEmailCommand } from '../overview/first-email-command';
import { EmptyState } from '../ui/empty-state';

export function NoEmails() {
  return (
    <EmptyState
      title="No emails yet"
      text="The emails you send appear here with their delivery history. Send your first one with an API key:"
    >
      <FirstEmailCommand />
      <Text mt="md">
        <Button component={Link} to="/api-keys" variant="default">
          Go to API keys
        </Button>
      </Text>
    </EmptyState>
  );
}

export function NoMatches({ onReset }: { readonly onReset: () => void }) {
  return (
    <EmptyState
      title="No matching emails"
      text="No email in this workspace matches all of these filters. Change or reset them."
    >
      <Button variant="default" onClick={onReset}>
        Reset filters
      </Button>
    </EmptyState>
  );
}

export function InvalidFilters({ onReset }: { readonly onReset: () => void }) {
  return (
    <EmptyState title="Invalid filters" text="Correct the filters marked above, or reset them.">
      <Button variant="default" onClick={onReset}>
        Reset filters
      </Button>
    </EmptyState>
  );
}
