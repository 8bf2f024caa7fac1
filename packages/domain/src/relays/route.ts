import { hash } from 'node:crypto';
import type { Priority } from '@posthorn/contract';
import { isServerName, type Relay } from './relay.js';

/** A relay of a route, and its share of the route's mail. */
export type Via = { readonly relay: string; readonly weight: number };

/** What a route matches. null matches all mail. */
export type RouteMatch = {
  readonly workspaceId: string | null;
  /** The domain of the sender's address. */
  readonly domain: string | null;
  readonly recipientDomain: string | null;
  /** `name:value` */
  readonly tag: string | null;
  readonly priority: Priority | null;
};

/** Which mail goes out by which relays. */
export type Route = RouteMatch & {
  readonly id: string;
  /** The lowest one that matches is used, and the older one of two with the same number. */
  readonly order: number;
  readonly via: readonly Via[];
  /** The names of the relays that follow when all of `via` are out. */
  readonly fallback: readonly string[];
  readonly createdAt: Date;
};

/** What routes ask about an email and one of its recipients. Domains are in lower case, with A-labels. */
export type MailFacts = {
  readonly workspaceId: string;
  readonly domain: string;
  readonly tags: readonly string[];
  readonly priority: Priority;
  readonly recipientDomain: string;
};

type Usable = Pick<Relay, 'name' | 'isPaused'>;

/** What decides where mail goes, in the order in which routes are asked. */
export type RoutingTable = { readonly routes: readonly Route[]; readonly relays: readonly Usable[] };

/** @property relays the names of the usable ones, in the order in which they are tried */
export type RouteDecision = {
  /** null if none matches, so the servers of SMTP_URL are used. */
  readonly route: Route | null;
  readonly relays: readonly string[];
};

/**
 * Decides by which relays an email may go to one of its recipients. A route without a usable relay lets its mail wait.
 * @param emailId null to get the relays by weight
 */
export function decideRoute({ routes, relays }: RoutingTable, facts: MailFacts, emailId: string | null): RouteDecision {
  const route = routes.find((each) => matches(each, facts)) ?? null;
  return { route, relays: listRelaysFor(route, relays, emailId) };
}

function matches({ workspaceId, domain, recipientDomain, tag, priority }: Route, facts: MailFacts): boolean {
  return (
    (workspaceId === null || workspaceId === facts.workspaceId) &&
    (domain === null || domain === facts.domain) &&
    (recipientDomain === null || recipientDomain === facts.recipientDomain) &&
    (tag === null || facts.tags.includes(tag)) &&
    (priority === null || priority === facts.priority)
  );
}

/**
 * The relays that an email may go out by, in the order in which they are tried. Each email has its own order of the
 * relays of a weighted group, in which each one is first as often as its weight says (weighted rendezvous hashing), so
 * an email that waits comes back to the same server, and the others share the mail of one that is out.
 * @param route null for the servers of SMTP_URL
 * @param emailId null for the order by weight
 * @returns the names of those that exist and are not paused
 */
export function listRelaysFor(route: Route | null, relays: readonly Usable[], emailId: string | null): string[] {
  const usable = relays.filter(({ isPaused }) => !isPaused).map(({ name }) => name);
  if (route === null) return usable.filter(isServerName).toSorted(byNumber);
  const names = [...sortByWeight(route.via, emailId), ...route.fallback];
  return [...new Set(names)].filter((name) => usable.includes(name));
}

function byNumber(a: string, b: string): number {
  return Number(a.slice(a.indexOf('-') + 1)) - Number(b.slice(b.indexOf('-') + 1));
}

function sortByWeight(via: readonly Via[], emailId: string | null): string[] {
  if (via.length === 1) return via.map(({ relay }) => relay);
  const scored = via.map(({ relay, weight }) => ({ relay, score: score(relay, weight, emailId) }));
  return scored.toSorted((a, b) => a.score - b.score).map(({ relay }) => relay);
}

const DIGITS = 8;

/** The time until a relay's first event, if its events come at random at the rate of its weight: the lowest one is first. */
function score(relay: string, weight: number, emailId: string | null): number {
  if (emailId === null) return -weight;
  const bits = Number.parseInt(hash('sha1', `${emailId} ${relay}`, 'hex').slice(0, DIGITS), 16);
  return -Math.log((bits + 1) / (16 ** DIGITS + 1)) / weight;
}
