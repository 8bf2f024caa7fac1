/** Imports no code and no constant: what a migration does must never change after its release. */
export const unusedObjects = {
  name: '0017-unused-objects',
  sql: `
    -- Oldest first. An object that could not be deleted is tried again later, so that it does not delay the others
    alter table unused_objects add column due_at timestamptz not null default now();
    create index unused_objects_due_at on unused_objects (due_at);
  `,
};
