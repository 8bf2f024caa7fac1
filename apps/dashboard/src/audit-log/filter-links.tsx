import { Anchor } from '@mantine/core';
import type { AuditEntry } from '@posthorn/contract';
import { Link } from '@tanstack/react-router';
import { actorName } from './actor-name';

/** Links to the other changes by the same actor and to the same target. */
export function FilterLinks({ entry: { actor, target } }: { readonly entry: AuditEntry }) {
  return (
    <>
      {actor.id !== null && (
        <Anchor
          size="sm"
          className="breakable"
          renderRoot={(props) => <Link {...props} to="/audit-log" search={{ actor: actor.id ?? undefined }} />}
        >
          All changes by {actorName(actor)}
        </Anchor>
      )}
      <Anchor
        size="sm"
        className="breakable"
        renderRoot={(props) => <Link {...props} to="/audit-log" search={{ target: target.id }} />}
      >
        All changes to {target.label}
      </Anchor>
    </>
  );
}
