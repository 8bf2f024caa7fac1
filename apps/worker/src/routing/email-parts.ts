import type { ClaimedEmail, ClaimedRecipient } from '@posthorn/domain/delivery';
import type { WaitsFor } from '@posthorn/domain/emails';
import { toHost } from '@posthorn/domain/format';
import { decideRoute, listRelaysFor, type Routing } from '@posthorn/domain/relays';
import { getSenderHost } from '@posthorn/message';

/** The recipients of an email that go out by the same relays. */
export type Part = {
  readonly to: readonly string[];
  /** The names of the relays, in the order in which they are tried. */
  readonly relays: readonly string[];
  /** What it waits for if none of them can be used. */
  readonly waitsFor: WaitsFor;
};

/** Decides by which relays the recipients of an email go out in this attempt. Most emails have one part. */
export function listParts(routing: Routing, email: ClaimedEmail, recipients: readonly ClaimedRecipient[]): Part[] {
  const to = recipients.map(({ address }) => address);
  if (to.length > 0 && takesDefault(routing, email)) return [{ to, ...toWay(findDefault(routing), 'default') }];
  const parts = new Map<string, Part & { readonly to: string[] }>();
  for (const recipient of recipients) {
    const { relays, waitsFor } = decide(routing, email, recipient);
    const key = `${waitsFor} ${relays.join()}`;
    const part = parts.get(key) ?? { to: [], relays, waitsFor };
    part.to.push(recipient.address);
    parts.set(key, part);
  }
  return [...parts.values()];
}

/** Most installations have no routes, so nothing is decided for each email. */
function takesDefault({ routes }: Routing, { staysWith }: ClaimedEmail): boolean {
  if (routes.length > 0) return false;
  for (const _ in staysWith) return false;
  return true;
}

const defaults = new WeakMap<Routing, readonly string[]>();

function findDefault(routing: Routing): readonly string[] {
  const known = defaults.get(routing) ?? listRelaysFor(null, routing.relays, null);
  defaults.set(routing, known);
  return known;
}

type Way = Omit<Part, 'to'>;

function toWay(relays: readonly string[], route: string): Way {
  return { relays, waitsFor: `${relays.length === 0 ? 'no-relay' : 'route'}:${route}` };
}

function decide(routing: Routing, email: ClaimedEmail, { position, address }: ClaimedRecipient): Way {
  const relayId = email.staysWith[position];
  if (relayId !== undefined) {
    const relay = routing.relays.find(({ id, isPaused }) => id === relayId && !isPaused);
    return { relays: relay ? [relay.name] : [], waitsFor: `relay:${relayId}` };
  }
  const { workspaceId, tags, priority, id } = email;
  const facts = { workspaceId, tags, priority, domain: getSenderHost(email), recipientDomain: toHost(address) };
  const { route, relays } = decideRoute(routing, facts, id);
  return toWay(relays, route?.id ?? 'default');
}
