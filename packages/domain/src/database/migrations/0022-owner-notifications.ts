/** Imports no code and no constants, because what a migration does must never change after its release. */
export const ownerNotifications = {
  name: '0022-owner-notifications',
  sql: `
    -- The email that tells the owners that the service has disabled the webhook; null once it is accepted. It has an
    -- id so that no owner gets it twice
    alter table webhooks add column owner_notification_id uuid;
    create index webhooks_owner_notification on webhooks (id) where owner_notification_id is not null;
  `,
};
