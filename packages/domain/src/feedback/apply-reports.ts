import { lockEmails } from '@posthorn/domain/emails';
import type { Context } from '@posthorn/platform';
import { type FinishedReport, finishReports, hasErasedRecipient, lockReports, writeChanges } from './changes-store.js';
import { decideChanges } from './decide-changes.js';
import type { InterpretedReport } from './report.js';

/** How long a report waits while a worker is sending its email. */
const WAIT_SECONDS = 1;

/**
 * The bounce flow, last part, from reports that have been read to the states of their recipients: lock -> decide ->
 * write states, events and suppressions -> finish the reports. All of it is one transaction, so a report is applied
 * exactly once. A report about an email that a worker is sending waits for the worker's result, so that the result never
 * overwrites what the report said.
 * @returns whether anything was written to the event log
 */
export async function applyReports(
  { db }: Pick<Context, 'db'>,
  reports: readonly InterpretedReport[],
): Promise<boolean> {
  return db.transaction(async (trx) => {
    const locked = await lockReports(trx, reports);
    const ours = reports.filter(({ id }) => locked.has(id));
    const ids = new Set(ours.flatMap(({ envelope }) => (envelope ? [envelope.emailId] : [])));
    const emails = ids.size === 0 ? [] : await lockEmails(trx, [...ids].toSorted());
    const changed = emails
      .filter(({ isBeingSent }) => !isBeingSent)
      .map((email) => ({
        email,
        changes: decideChanges(
          email,
          ours.filter((report) => isAbout(report, email.id)),
        ),
      }));
    const toWrite = changed.filter(({ changes }) => changes.reported.length > 0 || changes.unattributedComplaint);
    if (toWrite.length > 0) await writeChanges(trx, toWrite);
    const finished = ours.map((report): FinishedReport => {
      const email = emails.find(({ id }) => isAbout(report, id));
      if (!email) return { report, result: 'unknown_email', isKept: false };
      const isKept = !hasErasedRecipient(email);
      if (report.recipients.length === 0) return { report, result: 'nothing_new', isKept };
      if (email.isBeingSent) return { report, result: null, isKept };
      const found = changed.find((each) => each.email === email);
      return { report, result: found?.changes.results.get(report.id) ?? 'nothing_new', isKept };
    });
    if (finished.length > 0) await finishReports(trx, finished, { waitSeconds: WAIT_SECONDS });
    return toWrite.some(({ changes }) => changes.recipients.length > 0 || changes.unattributedComplaint);
  });
}

function isAbout({ envelope }: InterpretedReport, emailId: string): boolean {
  return envelope?.emailId === emailId;
}
