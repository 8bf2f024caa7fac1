/** Imports no code and no constants, because what a migration does must never change after its release. */
export const webhookOwnersMail = {
  name: '0022-webhook-owners-mail',
  sql: `
    -- The mail that tells the owners that the service has disabled the webhook; null once it is accepted. It has an id
    -- so that no owner gets it twice
    alter table webhooks add column owners_mail_id uuid;
    create index webhooks_owners_mail on webhooks (id) where owners_mail_id is not null;
  `,
};
