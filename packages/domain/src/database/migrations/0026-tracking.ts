/** Imports no code and no constants, because what a migration does must never change after its release. */
export const tracking = {
  name: '0026-tracking',
  sql: `
    -- Whether emails from the domain that are accepted from now on report opens and clicks
    alter table sending_domains add column track_opens boolean not null default false;
    alter table sending_domains add column track_clicks boolean not null default false;

    -- What the email reports, fixed when it is accepted, because its message must be the same on every attempt: the
    -- URL of the listener, opens, clicks, and the position of its recipient if it has only one. null for most emails
    alter table emails add column tracking jsonb;
  `,
};
