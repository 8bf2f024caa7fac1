import type { Email } from '@posthorn/contract';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type HistoryName, historyQuery } from './queries';

type History<Name extends HistoryName> = {
  /** Oldest first. */
  readonly entries: Email[Name];
  readonly hasOlder: boolean;
  readonly isLoading: boolean;
  readonly showOlder: () => void;
};

/**
 * The newest events or attempts come with the email. Older ones are loaded page by page when the user asks for them.
 */
export function useHistory<Name extends HistoryName>(email: Email, name: Name): History<Name> {
  const client = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  const options = historyQuery(email, name);
  const query = useInfiniteQuery({ ...options, enabled: isOpen });
  const loaded = isOpen ? query.data : undefined;
  const showOlder = () => {
    if (isOpen) void query.fetchNextPage();
    else {
      // The first page is already shown, so the user is waiting for the second one.
      void client.prefetchInfiniteQuery({ ...options, pages: 2 });
      setIsOpen(true);
    }
  };
  return {
    entries:
      loaded === undefined ? email[name] : (loaded.pages.flatMap(({ data }) => data).toReversed() as Email[Name]),
    hasOlder: loaded === undefined ? email[`${name}_next_cursor`] !== null : query.hasNextPage,
    isLoading: isOpen && query.isFetching,
    showOlder,
  };
}
