import { parseRedisUrl } from '../../src/config/redis-url.js';

test('one server keeps its URL, with everything that ioredis reads from it', () => {
  for (const url of ['redis://host', 'rediss://user:secret@host:6380/2?family=6'])
    expect(parseRedisUrl(url)).toEqual({ kind: 'single', url });
});

test('Sentinels are read with the name of their master, ports, credentials and a database', () => {
  expect(parseRedisUrl('redis+sentinel://one,two:26380,[fd00::1]:26381/my-master')).toEqual({
    kind: 'sentinel',
    sentinels: [
      { host: 'one', port: 26_379 },
      { host: 'two', port: 26_380 },
      { host: 'fd00::1', port: 26_381 },
    ],
    masterName: 'my-master',
    credentials: {},
    sentinelCredentials: {},
    db: 0,
    tls: false,
  });
  const url = 'rediss+sentinel://jane:p%40ss@one/m?db=3&sentinel_username=watcher&sentinel_password=s%20p';
  expect(parseRedisUrl(url)).toMatchObject({
    credentials: { username: 'jane', password: 'p@ss' },
    sentinelCredentials: { sentinelUsername: 'watcher', sentinelPassword: 's p' },
    db: 3,
    tls: true,
  });
});

test('nodes of a cluster are read with ports and credentials', () => {
  expect(parseRedisUrl('rediss+cluster://:secret@one,10.0.0.2:7001')).toEqual({
    kind: 'cluster',
    nodes: [
      { host: 'one', port: 6_379 },
      { host: '10.0.0.2', port: 7_001 },
    ],
    credentials: { password: 'secret' },
    tls: true,
  });
});

test.each([
  ['has another protocol', 'http://host'],
  ['has no host', 'redis+cluster://'],
  ['has an empty host', 'redis+cluster://one,,two'],
  ['has a port that does not exist', 'redis+cluster://one:70000'],
  ['has an address that does not exist', 'redis+cluster://[fd00::g]:6379'],
  ['names a database of a cluster', 'redis+cluster://one/1'],
  ['has a parameter that a cluster does not have', 'redis+cluster://one?db=1'],
  ['names no master', 'redis+sentinel://one:26379'],
  ['names an empty master', 'redis+sentinel://one:26379/'],
  ['has an unknown parameter', 'redis+sentinel://one/m?dbb=1'],
  ['has a database that is not a number', 'redis+sentinel://one/m?db=one'],
  ['has a user without a password', 'redis+sentinel://jane@one/m'],
  ['has a percent sign that encodes nothing', 'redis+sentinel://:%zz@one/m'],
])('a URL that %s is not valid', (_title, url) => {
  expect(parseRedisUrl(url)).toBeNull();
});
