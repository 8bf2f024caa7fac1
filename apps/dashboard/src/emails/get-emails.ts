import type { EmailSummary, List } from '@posthorn/contract';
import { get } from '../api/request';
import { type EmailSearch, toApiQuery } from './email-search';

export const emailsPath = '/api/v1/emails';

/** Reads one page of the list. */
export function getEmails(search: EmailSearch): Promise<List<EmailSummary>> {
  return get<List<EmailSummary>>(`${emailsPath}${toApiQuery(search)}`);
}
