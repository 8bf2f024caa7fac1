/** Imports no code and no constants, because what a migration does must never change after its release. */
export const accountVerification = {
  name: '0004-account-verification',
  sql: `
    -- When the user opened a link that was mailed to the address, or when the operator created the account
    alter table users add column email_verified_at timestamptz;
    -- SHA-256 of the network that the sign-up came from. Until the address is verified, that network's limits apply to
    -- the account's mail
    alter table users add column signup_source text;
    -- Accounts created before this rule keep working
    update users set email_verified_at = created_at;

    -- The only owner, until the owner's address is verified. The workspace can send to that address only
    alter table workspaces add column unverified_owner_id uuid unique references users (id);

    -- The links that the service mails to a user. Until now, they were only for resetting a password
    alter table password_resets rename to mailed_links;
    alter table mailed_links rename constraint password_resets_pkey to mailed_links_pkey;
    alter table mailed_links rename constraint password_resets_user_id_fkey to mailed_links_user_id_fkey;
    alter index password_resets_user rename to mailed_links_user;
    alter table mailed_links add column purpose text not null default 'reset_password'
      check (purpose in ('reset_password', 'verify_email'));
    alter table mailed_links alter column purpose drop default;
  `,
};
