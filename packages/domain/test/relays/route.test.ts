import { decideRoute, type Route } from '@posthorn/domain/relays';
import { newId } from '@posthorn/platform/values';

const relays = ['a', 'b', 'c', 'env-10', 'env-2', 'env-1'].map((name) => ({ name, isPaused: false }));
const facts = {
  workspaceId: 'w1',
  domain: 'shop.example',
  recipientDomain: 'example.com',
  tags: ['kind:invoice'],
  priority: 'normal',
} as const;

const ANY = { workspaceId: null, domain: null, recipientDomain: null, tag: null, priority: null };

function route(fields: Partial<Route>): Route {
  const via = [{ relay: 'a', weight: 1 }];
  return { id: newId(), order: 100, via, fallback: [], createdAt: new Date(), ...ANY, ...fields };
}

const pausedTable = (...paused: string[]) => relays.map(({ name }) => ({ name, isPaused: paused.includes(name) }));

describe('decideRoute', () => {
  test('uses the servers of SMTP_URL in their order if no route matches', () => {
    expect(decideRoute({ routes: [], relays }, facts, newId())).toEqual({
      route: null,
      relays: ['env-1', 'env-2', 'env-10'],
    });
  });

  test.each<[Partial<Route>, boolean]>([
    [{ workspaceId: 'w1' }, true],
    [{ workspaceId: 'w2' }, false],
    [{ domain: 'shop.example' }, true],
    [{ domain: 'mail.shop.example' }, false],
    [{ recipientDomain: 'example.com' }, true],
    [{ recipientDomain: 'example.org' }, false],
    [{ tag: 'kind:invoice' }, true],
    [{ tag: 'kind:news' }, false],
    [{ priority: 'normal' }, true],
    [{ priority: 'bulk' }, false],
    [{ workspaceId: 'w1', domain: 'shop.example', tag: 'kind:news' }, false],
  ])('matches %j: %s', (match, matches) => {
    const only = route(match);
    expect(decideRoute({ routes: [only], relays }, facts, null).route).toBe(matches ? only : null);
  });

  test('asks the routes in their order', () => {
    const routes = [route({ domain: 'other.example' }), route({ domain: 'shop.example' }), route({})];
    expect(decideRoute({ routes, relays }, facts, null).route).toBe(routes[1]);
  });

  test('shares mail by weight', () => {
    const weighted = route({
      via: [
        { relay: 'a', weight: 3 },
        { relay: 'b', weight: 1 },
      ],
    });
    const first = Array.from({ length: 10_000 }, () => decideRoute({ routes: [weighted], relays }, facts, newId()));
    const ofA = first.filter(({ relays: [name] }) => name === 'a').length;
    expect(ofA / 10_000).toBeGreaterThan(0.73);
    expect(ofA / 10_000).toBeLessThan(0.77);
  });

  test('lets the others share the mail of a paused relay by their weights', () => {
    const via = [
      { relay: 'a', weight: 6 },
      { relay: 'b', weight: 3 },
      { relay: 'c', weight: 1 },
    ];
    const table = { routes: [route({ via })], relays: pausedTable('a') };
    const ofB = Array.from({ length: 4_000 }, () => decideRoute(table, facts, newId())).filter(
      ({ relays: [name] }) => name === 'b',
    ).length;
    expect(ofB / 4_000).toBeGreaterThan(0.7);
    expect(ofB / 4_000).toBeLessThan(0.8);
  });

  test('keeps the order of relays for an email', () => {
    const table = {
      routes: [
        route({
          via: [
            { relay: 'a', weight: 1 },
            { relay: 'b', weight: 1 },
          ],
        }),
      ],
      relays,
    };
    const id = newId();
    expect(decideRoute(table, facts, id)).toEqual(decideRoute(table, facts, id));
  });

  test('names the relays that follow last, and leaves out those that are paused or were removed', () => {
    const gone = [
      { relay: 'a', weight: 1 },
      { relay: 'gone', weight: 5 },
    ];
    const routes = [route({ via: gone, fallback: ['c', 'a', 'b'] })];
    expect(decideRoute({ routes, relays: pausedTable('c') }, facts, newId()).relays).toEqual(['a', 'b']);
  });

  test('does not fall to the default if no relay is left', () => {
    const only = route({ via: [{ relay: 'gone', weight: 1 }] });
    expect(decideRoute({ routes: [only], relays }, facts, newId())).toEqual({ route: only, relays: [] });
  });
});
