import type { ReportResult } from '@posthorn/contract';
import { type LockedEmail, lockEmails } from '@posthorn/domain/emails';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import type { Knex } from 'knex';
import { type EmailChanges, hasErasedRecipient, writeChanges } from './apply-reports-store.js';
import { decideChanges, isAboutMailOfRelay } from './decide-changes.js';
import type { InterpretedReport } from './interpret-report.js';
import { deleteSurplusMail } from './operator-mail-store.js';
import { countEarlyEvents } from './provider-event-store.js';
import { type FinishedReport, finishReports, lockReports } from './report-store.js';

/** How long a report waits while a worker is sending its email. */
const WAIT_SECONDS = 1;

/** How long an event waits for our own record of its mail. */
const EARLY_EVENT_WAIT_SECONDS = 30;

/** What came of a report; null if it waits. */
export type AppliedReport = { readonly id: string; readonly result: ReportResult | null };

/**
 * The bounce flow, last part, from reports that have been read to the states of their recipients: lock -> decide ->
 * write states, events and suppressions -> finish the reports. All of it is one transaction, so a report is applied
 * exactly once. A report about an email that a worker is sending waits for the worker's result, so that the result never
 * overwrites what the report said.
 * @property hasEvents whether anything was written to the event log
 */
export async function applyReports(
  { db }: Pick<Context, 'db'>,
  reports: readonly InterpretedReport[],
): Promise<{ readonly hasEvents: boolean; readonly applied: readonly AppliedReport[] }> {
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
    const full = await findFullRelays(trx, ours);
    const finished = ours.map((report) => finish(dropIfFull(report, full), changed, emails));
    if (finished.length > 0) await finishReports(trx, finished);
    if (finished.some(({ report, result }) => result !== null && report.envelope === null))
      await deleteSurplusMail(trx);
    return {
      hasEvents: toWrite.some(({ changes }) => changes.recipients.length > 0 || changes.unattributedComplaint !== null),
      applied: finished.map(({ report: { id }, result }) => ({ id, result })),
    };
  });
}

type ChangedEmail = { readonly email: LockedEmail; readonly changes: EmailChanges };

function finish(
  report: InterpretedReport,
  changed: readonly ChangedEmail[],
  emails: readonly LockedEmail[],
): FinishedReport {
  const email = emails.find(({ id }) => isAbout(report, id));
  if (!email) return report.provider?.mayComeLater ? wait(report, EARLY_EVENT_WAIT_SECONDS) : finishUnknown(report);
  if (report.recipients.length > 0 && email.isBeingSent) return wait(report, WAIT_SECONDS);
  const changes = changed.find((each) => each.email === email)?.changes;
  const result = changes?.results.get(report.id) ?? 'nothing_new';
  if (result === 'unknown_recipient' && report.provider?.mayComeLater && !isAboutMailOfRelay(email, report))
    return wait(report, EARLY_EVENT_WAIT_SECONDS);
  const bytes = hasErasedRecipient(email) ? 0 : limits.shownReportBytes.max;
  if (changes?.lasting.has(report.id)) return end(report, result, { bytes, days: limits.reportDays.max });
  // The limit for the reports about an email is checked when they come to its return path.
  if (report.mailbox !== null || isOnlyDelivered(report)) return end(report, result, NOTHING);
  return end(report, result, { bytes, days: limits.idleReportDays.max });
}

function finishUnknown(report: InterpretedReport): FinishedReport {
  return end(report, 'unknown_email', report.provider ? NOTHING : keepUnknown(report));
}

function end(report: InterpretedReport, result: ReportResult, kept: FinishedReport['kept']): FinishedReport {
  return { report, result, kept, waitSeconds: 0 };
}

function wait(report: InterpretedReport, waitSeconds: number): FinishedReport {
  return { report, result: null, kept: NOTHING, waitSeconds };
}

/** Most events of providers are of this kind, and nobody looks for them. */
function isOnlyDelivered({ provider, recipients }: InterpretedReport): boolean {
  return provider !== undefined && recipients.every(({ event }) => event === 'delivered');
}

/**
 * The relays for which so many events wait already that no more may. Events about an email that we know always may, so the
 * mail of another program at the same provider does not take their place.
 */
async function findFullRelays(trx: Knex, reports: readonly InterpretedReport[]): Promise<Set<string>> {
  const { max } = limits.earlyEvents;
  const waiting = reports.flatMap(({ envelope, provider }) =>
    envelope === null && provider?.mayComeLater ? provider.relayId : [],
  );
  const full = new Set<string>();
  for (const relayId of new Set(waiting)) if ((await countEarlyEvents(trx, relayId, max)) >= max) full.add(relayId);
  return full;
}

function dropIfFull(report: InterpretedReport, full: ReadonlySet<string>): InterpretedReport {
  if (report.envelope !== null || !report.provider || !full.has(report.provider.relayId)) return report;
  return { ...report, provider: { ...report.provider, mayComeLater: false } };
}

const NOTHING = { bytes: 0, days: 0 };

/** Mail to a mailbox is kept for the operator, for example to confirm the enrolment with a feedback loop. */
function keepUnknown({ mailbox, envelope }: InterpretedReport): FinishedReport['kept'] {
  if (mailbox === null) return { bytes: 0, days: limits.idleReportDays.max };
  return envelope ? NOTHING : { bytes: limits.operatorMailBytes.max, days: limits.operatorMailDays.max };
}

function isAbout({ envelope }: InterpretedReport, emailId: string): boolean {
  return envelope?.emailId === emailId;
}
