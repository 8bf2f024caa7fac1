/** Imports no code and no constants, because what a migration does must never change after its release. */
export const reportSender = {
  name: '0028-report-sender',
  sql: `
    -- Nothing read it, and for an automatic reply it is the recipient, who may ask to be erased
    alter table feedback_reports drop column sender;
  `,
};
