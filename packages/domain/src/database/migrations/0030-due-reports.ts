/** Imports no code and no constants, because what a migration does must never change after its release. */
export const dueReports = {
  name: '0030-due-reports',
  sql: `
    -- Reports to return paths and to the address for complaints are leased separately
    create index feedback_reports_due_by_address on feedback_reports ((email_id is null), due_at)
      where due_at is not null;
    drop index feedback_reports_due;
  `,
};
