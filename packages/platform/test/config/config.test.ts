import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConfigError, readEnv, toConfig } from '@posthorn/platform/config';

const REQUIRED = { DATABASE_URL: 'postgres://host/db', REDIS_URL: 'redis://host' };

function configWith(extra: NodeJS.ProcessEnv, role: 'api' | 'cli' = 'api') {
  return toConfig(readEnv({ ...REQUIRED, ...extra }), role);
}

function listFaults(extra: NodeJS.ProcessEnv): readonly string[] {
  try {
    configWith(extra);
    return [];
  } catch (error) {
    return (error as ConfigError).faults;
  }
}

describe('a secret in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-config-'));
  const path = join(folder, 'secret-key');
  const secret = 'a secret that is long enough for tests';

  beforeAll(() => writeFileSync(path, `${secret}\n`));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('is read without the white space around it', () => {
    expect(configWith({ SECRET_KEY_FILE: path }).secretKey).toBe(secret);
    expect(configWith({ SECRET_KEY_FILE: '', SECRET_KEY: secret }).secretKey).toBe(secret);
  });

  test('is refused if it is given twice, or if the file cannot be read', () => {
    const missing = join(folder, 'missing');
    expect(listFaults({ SECRET_KEY_FILE: path, SECRET_KEY: secret, SMTP_URL_FILE: missing })).toEqual([
      'SECRET_KEY and SECRET_KEY_FILE are both set. Set one of them.',
      'SMTP_URL_FILE is not valid. Set it to the path of a file that this process can read.',
    ]);
  });

  test('that is empty counts as not set', () => {
    const empty = join(folder, 'empty');
    writeFileSync(empty, '\n');
    expect(listFaults({ NODE_ENV: 'production', SECRET_KEY_FILE: empty })).toContainEqual(
      expect.stringMatching(/^SECRET_KEY is missing/),
    );
  });
});

describe('DNS_SERVERS', () => {
  test('lists addresses with or without a port', () => {
    expect(configWith({}).dnsServers).toEqual([]);
    expect(
      configWith({ DNS_SERVERS: '192.0.2.53:5353, 192.0.2.54,[2001:db8::53]:53,2001:db8::54' }).dnsServers,
    ).toEqual(['192.0.2.53:5353', '192.0.2.54', '[2001:db8::53]:53', '2001:db8::54']);
  });

  test.each(['dns.example:53', '192.0.2.53:0', '192.0.2.53:65536', '192.0.2.53,', '192.0.2:53', '[192.0.2.53'])(
    'must not be %j',
    (text) => {
      expect(listFaults({ DNS_SERVERS: text })).toEqual([
        expect.stringMatching(/^DNS_SERVERS is not valid\. Set it to IP/),
      ]);
    },
  );
});

describe('WEBHOOK_ALLOWED_NETWORKS', () => {
  test('lists networks, and takes a single address as a network of its own', () => {
    expect(configWith({}).webhookAllowedNetworks).toEqual([]);
    expect(
      configWith({ WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8, 192.0.2.7,fd00::/8,::1,0.0.0.0/0' }).webhookAllowedNetworks,
    ).toEqual(['10.0.0.0/8', '192.0.2.7/32', 'fd00::/8', '::1/128', '0.0.0.0/0']);
  });

  test.each([
    '10.0.0.0/33',
    '::/129',
    '10.0.0/8',
    '10.0.0.0/08',
    '10.0.0.0/',
    'fe80::1%eth0',
    'intern.example',
    '::1,',
  ])('must not be %j', (text) => {
    expect(listFaults({ WEBHOOK_ALLOWED_NETWORKS: text })).toEqual([
      expect.stringMatching(/^WEBHOOK_ALLOWED_NETWORKS is not valid\. Set it to networks in CIDR notation/),
    ]);
  });
});

describe('DATABASE_URL', () => {
  test('may name several hosts with target_session_attrs=read-write', () => {
    const url = 'postgres://one:5432,two:5432/db?target_session_attrs=read-write';
    expect(configWith({ DATABASE_URL: url }).databaseUrl).toBe(url);
  });

  test.each(['mysql://host/db', 'postgres://one,two/db', 'postgres://host/db?target_session_attrs=standby'])(
    'must not be %s',
    (text) => {
      expect(listFaults({ DATABASE_URL: text })).toEqual([
        expect.stringMatching(/^DATABASE_URL is not valid\. Set it to a URL that starts with postgres:/),
      ]);
    },
  );
});

describe('REDIS_URL', () => {
  test.each(['redis+sentinel://one,two/main', 'redis+cluster://one,two', 'rediss://one'])('may be %s', (text) => {
    expect(configWith({ REDIS_URL: text }).redisUrl).toBe(text);
  });

  test.each(['http://host', 'redis+sentinel://one', 'redis+cluster://one/2'])('must not be %s', (text) => {
    expect(listFaults({ REDIS_URL: text })).toEqual([
      expect.stringMatching(
        /^REDIS_URL is not valid\. Set it to a URL such as redis:.*redis\+sentinel:.*redis\+cluster:/,
      ),
    ]);
  });
});

describe('retention', () => {
  test('keeps content for 30 days and emails for 400, unless set otherwise', () => {
    expect(configWith({})).toMatchObject({ contentRetentionDays: 30, emailRetentionDays: 400 });
    const longer = { CONTENT_RETENTION_DAYS: '90', EMAIL_RETENTION_DAYS: '2000' };
    expect(configWith(longer)).toMatchObject({ contentRetentionDays: 90, emailRetentionDays: 2000 });
  });

  test('is never shorter than the time that an email can wait', () => {
    expect(listFaults({ CONTENT_RETENTION_DAYS: '29', EMAIL_RETENTION_DAYS: '33' })).toEqual([
      'CONTENT_RETENTION_DAYS is not valid. Set it to a whole number from 30 to 36500, because an email can be scheduled 30 days ahead.',
      'EMAIL_RETENTION_DAYS is not valid. Set it to a whole number from 34 to 36500, because an email can be scheduled 30 days ahead and is then retried for up to 72 hours.',
    ]);
    expect(listFaults({ EMAIL_RETENTION_DAYS: '34' })).toEqual([]);
  });
});

describe('SIMULATOR_DOMAIN', () => {
  test('is below the platform domain unless it is set', () => {
    expect(configWith({}).simulatorDomain).toBe('simulator.posthorn.localhost');
    expect(configWith({ PLATFORM_SENDER_DOMAIN: 'mail.example' }).simulatorDomain).toBe('simulator.mail.example');
    expect(configWith({ SIMULATOR_DOMAIN: 'Sim.Example' }).simulatorDomain).toBe('sim.example');
    expect(listFaults({ SIMULATOR_DOMAIN: 'not a domain' })).toEqual([
      expect.stringMatching(/^SIMULATOR_DOMAIN is not valid/),
    ]);
  });

  test('is neither the platform domain nor a parent of it', () => {
    const platform = { PLATFORM_SENDER_DOMAIN: 'mail.acme.example' };
    for (const domain of ['mail.acme.example', 'acme.example'])
      expect(listFaults({ ...platform, SIMULATOR_DOMAIN: domain })).toEqual([
        'SIMULATOR_DOMAIN is not valid. Set it to a domain name such as mail.example.com, of at most 180 characters. It must not be mail.acme.example or a parent domain of it.',
      ]);
    for (const domain of ['sim.mail.acme.example', 'sim.acme.example', 'xmail.acme.example'])
      expect(configWith({ ...platform, SIMULATOR_DOMAIN: domain }).simulatorDomain).toBe(domain);
  });
});

describe('SECRET_KEY', () => {
  const production = {
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://mail.example',
    PLATFORM_SENDER_DOMAIN: 'mail.example',
  };

  test('has no default in production', () => {
    expect(listFaults(production)).toEqual([expect.stringMatching(/^SECRET_KEY is missing\. Set it to at least 32/)]);
    expect(listFaults({ ...production, SECRET_KEY: 'short' })).toEqual([
      expect.stringContaining('SECRET_KEY is not valid'),
    ]);
    expect(configWith({ ...production, SECRET_KEY: 's'.repeat(32) }).secretKey).toBe('s'.repeat(32));
  });

  test('has a default outside production, but not for commands', () => {
    expect(configWith({}).secretKey?.length).toBeGreaterThanOrEqual(32);
    expect(configWith({}, 'cli').secretKey).toBeNull();
  });

  test('may have earlier values, each as long as the key must be', () => {
    const [first, second] = ['a'.repeat(32), 'b'.repeat(40)];
    expect(configWith({}).previousSecretKeys).toEqual([]);
    expect(configWith({ SECRET_KEY_PREVIOUS: `${first}, ${second}` }).previousSecretKeys).toEqual([first, second]);
    expect(listFaults({ SECRET_KEY_PREVIOUS: `${first},short` })).toEqual([
      'SECRET_KEY_PREVIOUS is not valid. Set it to earlier values of SECRET_KEY separated by commas, each of at least 32 characters.',
    ]);
  });
});

describe('tracing', () => {
  const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };

  test('is off without a collector', () => {
    expect(configWith({ OTEL_SERVICE_NAME: 'mail', OTEL_TRACES_SAMPLER_ARG: '0.5' }).tracing).toBeNull();
  });

  test('records every request under the name of the process, unless set otherwise', () => {
    expect(configWith(ENDPOINT).tracing).toEqual({
      endpoint: 'http://collector:4318',
      headers: {},
      serviceName: 'posthorn-api',
      sampleRatio: 1,
      clientsDecide: false,
    });
    const set = {
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=s3cret%3D, tenant = one',
      OTEL_SERVICE_NAME: 'mail',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.01',
    };
    expect(configWith(set).tracing).toMatchObject({
      headers: { 'api-key': 's3cret=', tenant: 'one' },
      serviceName: 'mail',
      sampleRatio: 0.01,
      clientsDecide: true,
    });
  });

  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'api-key'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'api-key=s3cret,'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'api-key=%zz'],
    ['OTEL_TRACES_SAMPLER', 'always_on'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_TRACES_SAMPLER_ARG', '1%'],
  ])('refuses %s=%s', (name, value) => {
    expect(listFaults({ ...ENDPOINT, [name]: value })).toEqual([expect.stringMatching(`^${name} is not valid`)]);
  });
});
