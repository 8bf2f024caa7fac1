import type { AuditEntry, List } from '@posthorn/contract';
import type { TestApi } from '../open-test-api.js';

export const path = '/api/v1/audit-log';

/** One page of the audit log that the headers give access to, newest first. @param query with its question mark */
export async function listEntries(t: TestApi, session: { Cookie: string }, query = ''): Promise<List<AuditEntry>> {
  return (await t.api.get(`${path}${query}`).set(session).expect(200)).body;
}

/** The newest entry of the audit log. */
export async function newestEntry(t: TestApi, session: { Cookie: string }): Promise<AuditEntry | undefined> {
  return (await listEntries(t, session, '?limit=1')).data[0];
}
