/** Imports no code and no constants, because what a migration does must never change after its release. */
export const trackingHosts = {
  name: '0027-tracking-hosts',
  sql: `
    -- Whether the last check found the CNAME record of the domain's tracking host
    alter table sending_domains add column has_tracking_host boolean not null
      generated always as (coalesce(findings -> 'tracking' ->> 'status' = 'verified', false)) stored;
    create index sending_domains_tracking_host on sending_domains (name) where has_tracking_host;
  `,
};
