import { Button, Text } from '@mantine/core';
import type { EmailSummary, Mode } from '@posthorn/contract';
import { Link } from '@tanstack/react-router';
import { FirstEmailCode } from '../overview/first-email-code';
import { EmptyState } from '../ui/empty-state';
import type { LiveList } from '../ui/live-list';
import { type EmailSearch, isTextSearch } from './email-search';

export function NoEmails({ mode }: { readonly mode: Mode }) {
  return mode === 'test' ? <NoTestMail /> : <NoLiveMail />;
}

function NoTestMail() {
  return (
    <EmptyState
      title="No test mail yet"
      text="Emails created with a test key are built and signed, but never sent. You can look at them here."
    >
      <Button component={Link} to="/api-keys" variant="default">
        Create a test key
      </Button>
    </EmptyState>
  );
}

function NoLiveMail() {
  return (
    <EmptyState
      title="No emails yet"
      text="The emails you send appear here with their delivery history. Send your first one with an API key:"
    >
      <FirstEmailCode />
      <Text mt="md">
        <Button component={Link} to="/api-keys" variant="default">
          Go to API keys
        </Button>
      </Text>
    </EmptyState>
  );
}

type NoMatchesProps = {
  readonly search: EmailSearch;
  readonly list: LiveList<EmailSummary>;
  readonly onReset: () => void;
};

export function NoMatches({ search, list: { nextCursor }, onReset }: NoMatchesProps) {
  if (isTextSearch(search) && nextCursor !== null && !search.before) return <NoMatchYet cursor={nextCursor} />;
  const searched = isTextSearch(search) && !search.created_after ? 'accepted in the last 30 days' : 'in this workspace';
  return (
    <EmptyState
      title="No matching emails"
      text={`No email ${searched} matches all of these filters. Change or reset them.`}
    >
      <Button variant="default" onClick={onReset}>
        Reset filters
      </Button>
    </EmptyState>
  );
}

function NoMatchYet({ cursor }: { readonly cursor: string }) {
  return (
    <EmptyState title="No match yet" text="The newest emails do not match. Older ones have not been searched yet.">
      <Button
        variant="default"
        renderRoot={(props) => (
          <Link {...props} to="." search={(search) => ({ ...search, after: cursor, before: undefined })} />
        )}
      >
        Search older emails
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
