/** Who can log in to the dashboard. */
export const accounts = `
  create table users (
    id uuid primary key,
    email text not null,
    password_hash text not null,
    -- When the user opened a link that was mailed to the address, or when the operator created the account
    email_verified_at timestamptz,
    -- SHA-256 of the network that the sign-up came from. Until the address is verified, that network's limits apply to
    -- the account's mail
    signup_source text,
    created_at timestamptz not null default now()
  );
  create unique index users_email on users (lower(email));
  create index users_unverified on users (created_at) where email_verified_at is null;

  -- The links that the service mails to a user
  create table mailed_links (
    -- SHA-256 of the link's token: a copy of this table is of no use to an attacker
    token_hash bytea primary key,
    user_id uuid not null references users (id) on delete cascade,
    purpose text not null check (purpose in ('reset_password', 'verify_email')),
    expires_at timestamptz not null
  );
  create index mailed_links_user on mailed_links (user_id);
`;
