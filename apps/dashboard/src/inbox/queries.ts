import { queryOptions } from '@tanstack/react-query';
import { assertOk, get, reach, toQueryString } from '../api/request';

const REFRESH_MS = 2_000;
export const PAGE_SIZE = 50;

// The inbox responds in the format that Mailpit uses (https://mailpit.axllent.org/docs/api-v1/).

export type InboxAddress = { readonly Name: string; readonly Address: string };

type Addresses = {
  readonly From: InboxAddress;
  readonly To: readonly InboxAddress[];
  readonly Cc: readonly InboxAddress[];
  readonly Bcc: readonly InboxAddress[];
  readonly ReplyTo: readonly InboxAddress[];
};

export type InboxSummary = Addresses & {
  readonly ID: string;
  readonly Read: boolean;
  readonly Subject: string;
  readonly Created: string;
  readonly Attachments: number;
  readonly Snippet: string;
};

export type InboxList = {
  readonly total: number;
  readonly unread: number;
  readonly start: number;
  readonly messages: readonly InboxSummary[];
};

export type InboxMessage = Addresses & {
  readonly ID: string;
  /** MAIL FROM; empty for the null sender. */
  readonly ReturnPath: string;
  readonly Subject: string;
  readonly Date: string;
  readonly Text: string;
  readonly HTML: string;
  readonly Attachments: readonly {
    readonly FileName: string;
    readonly ContentType: string;
    readonly ContentID: string;
    readonly Size: number;
  }[];
};

type InboxInfo = { readonly SMTPServer: string; readonly MaxMessages: number };

export const infoQuery = queryOptions({
  queryKey: ['inbox', 'info'],
  queryFn: () => get<InboxInfo>('/api/v1/info'),
});

/** Refreshes while the page is visible. @param start how many of the newest messages to skip */
export function messageListQuery(start: number) {
  return queryOptions({
    queryKey: ['inbox', 'list', start],
    queryFn: () => get<InboxList>(`/api/v1/messages${toQueryString({ start, limit: PAGE_SIZE })}`),
    refetchInterval: REFRESH_MS,
  });
}

/** Fetching a message marks it as read. */
export function inboxMessageQuery(id: string) {
  return queryOptions({
    queryKey: ['inbox', 'message', id],
    queryFn: () => getMessage(id),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** @returns null if the inbox has no such message */
async function getMessage(id: string): Promise<InboxMessage | null> {
  const response = await reach(`/api/v1/message/${id}`);
  if (response.status === 404) return null;
  await assertOk(response);
  return response.json();
}
