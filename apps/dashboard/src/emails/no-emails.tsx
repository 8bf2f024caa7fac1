import { Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { FirstEmailCommand } from '../overview/first-email-command';
import { EmptyState } from '../ui/empty-state';

export function NoEmails() {
  return (
    <EmptyState
      title="No emails yet"
      text="What you send is listed here, with all that became of it. Send the first one with a key:"
    >
      <FirstEmailCommand />
      <Text mt="md">
        <Button component={Link} to="/api-keys" variant="default">
          To the keys
        </Button>
      </Text>
    </EmptyState>
  );
}

export function NoMatches({ onReset }: { readonly onReset: () => void }) {
  return (
    <EmptyState title="No email matches" text="None of the workspace's emails has all that the filters ask for.">
      <Button variant="default" onClick={onReset}>
        Reset the filters
      </Button>
    </EmptyState>
  );
}

export function InvalidFilters({ onReset }: { readonly onReset: () => void }) {
  return (
    <EmptyState
      title="Nothing was searched"
      text="What is wrong is said beneath the filter. Correct it, or begin anew."
    >
      <Button variant="default" onClick={onReset}>
        Reset the filters
      </Button>
    </EmptyState>
  );
}
