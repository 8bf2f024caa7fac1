/**
 * What an email waits for although it is due:
 * - `no-relay:<route>`: a relay, because the route (or `default`) has none left
 * - `route:<route>`: a relay of the route that can be used
 * - `relay:<id>`: the relay that may have the message after an attempt with an unknown result
 * - `rate:<relay>`, `warm-up:<relay>`, `connections:<relay>`: room within a limit of a relay
 * - `slow:<relay>`: the end of a time in which the relay wants less mail
 * - `connections:<relay>/<site>`, `slow:<relay>/<site>`: the same for a site that mail goes straight to
 *
 * Such emails have an index of their own, so however many there are, they do not delay others.
 */
export type WaitsFor = `${keyof typeof WAITS}:${string}`;

/**
 * As it is stored: with the version of the relays and routes by which it was decided. After a change of these, workers
 * see that the email must be decided about again, however late it was stored.
 */
export type StoredWait = `${WaitsFor}@${string}`;

const WAITS = {
  'no-relay': (route: string) =>
    `Waiting, because there is no relay left in route ${route}. It is sent as soon as the route has one again.`,
  route: (route: string) => `Waiting, because no relay of route ${route} can be used at the moment.`,
  relay: () =>
    'Waiting for the relay of an earlier attempt, which may have the message already. No other one gets it, so that nobody gets two copies.',
  rate: (relay: string) => `Waiting for its turn: more mail than the rate of relay ${relay} allows is waiting.`,
  'warm-up': (relay: string, tomorrow: string) =>
    `Waiting until ${tomorrow}: relay ${relay} has tried as many recipients today as its warm-up allows.`,
  connections: (place: string) => `Waiting for a free connection to ${describePlace(place)}.`,
  slow: (place: string) => `Waiting, because ${describePlace(place)} asked us to send less for a while.`,
} as const;

/** @param place `<relay>` or `<relay>/<name of the site>/<its key>` */
function describePlace(place: string): string {
  const [relay = place, site] = place.split('/');
  return site === undefined ? `relay ${relay}` : `the mail servers of ${site}`;
}

/** @param tomorrow when the next UTC day begins, in words */
export function explainWaitsFor(waitsFor: StoredWait, tomorrow: string): string {
  const { kind, name } = parseWaitsFor(waitsFor);
  return WAITS[kind](name, tomorrow);
}

/** @property version rises with every change of relays and routes */
export type ParsedWait = { readonly kind: keyof typeof WAITS; readonly name: string; readonly version: bigint };

export function parseWaitsFor(waitsFor: StoredWait): ParsedWait {
  const [colon, at] = [waitsFor.indexOf(':'), waitsFor.lastIndexOf('@')];
  return {
    kind: waitsFor.slice(0, colon) as keyof typeof WAITS,
    name: waitsFor.slice(colon + 1, at),
    version: BigInt(waitsFor.slice(at + 1)),
  };
}
