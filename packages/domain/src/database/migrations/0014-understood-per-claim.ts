/** Imports no code and no constants, because what a migration does must never change after its release. */
export const understoodPerClaim = {
  name: '0014-understood-per-claim',
  sql: `
    -- A claim by an older worker does not set understood, so the value of an earlier claim must not be left in the row.
    -- The trigger clears it after comparing it. Rows that need nothing do not reach the function
    create function claim_if_understood() returns trigger language plpgsql as $$
    begin
      if new.needs & ~new.understood <> 0 then return null; end if;
      new.understood := 0;
      return new;
    end $$;
    create or replace trigger deliveries_not_understood before update on deliveries for each row
      when (new.needs <> 0 and new.attempt > old.attempt) execute function claim_if_understood();
    drop function skip_claim();
    update deliveries set understood = 0 where needs <> 0;
  `,
};
