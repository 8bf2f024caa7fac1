/** How much of our mail a site takes at a time from one source. An operator's `--connections` comes before these. */
export type SiteLimits = {
  readonly connections: number;
  readonly recipientsPerMessage: number;
  readonly messagesPerConnection: number;
};

type ProviderLimits = SiteLimits & {
  readonly provider: string;
  /** The MX hosts of the provider end with one of these. */
  readonly hosts: readonly [string, ...string[]];
  readonly source: string;
};

/** More recipients than 100 are never safe (RFC 5321, 4.5.3.1.8); Postfix sends to 50 at a time. */
const DEFAULT_LIMITS: SiteLimits = { connections: 10, recipientsPerMessage: 50, messagesPerConnection: 100 };

/** Where a provider publishes no number, these are what senders found to be safe. The replies of a site lower them. */
export const providerLimits: readonly ProviderLimits[] = [
  {
    provider: 'gmail',
    hosts: ['.google.com', '.googlemail.com'],
    connections: 5,
    recipientsPerMessage: 50,
    messagesPerConnection: 50,
    source: 'Gmail and Workspace share their servers; KumoMTA, shaping',
  },
  {
    provider: 'outlook',
    hosts: ['.olc.protection.outlook.com', '.mail.protection.outlook.com', '.mx.microsoft'],
    connections: 5,
    recipientsPerMessage: 50,
    messagesPerConnection: 50,
    source: 'Outlook.com, "Policies, Practices and Guidelines"; KumoMTA, shaping',
  },
  {
    provider: 'yahoo',
    hosts: ['.yahoodns.net'],
    connections: 5,
    recipientsPerMessage: 20,
    messagesPerConnection: 20,
    source: 'Yahoo Sender Hub, "Best practices"; AOL has the same servers',
  },
  {
    provider: 'icloud',
    hosts: ['.icloud.com'],
    connections: 10,
    recipientsPerMessage: 50,
    messagesPerConnection: 5,
    source: 'Apple, "Postmaster information for iCloud Mail"; KumoMTA, shaping',
  },
  {
    provider: 'orange',
    hosts: ['.orange.fr', '.wanadoo.fr'],
    connections: 2,
    recipientsPerMessage: 20,
    messagesPerConnection: 50,
    source: 'Orange, "Postmaster"; refuses a third connection with OFR004_104',
  },
  {
    provider: 'gmx',
    hosts: ['.gmx.net', '.web.de', '.mail.com'],
    connections: 5,
    recipientsPerMessage: 50,
    messagesPerConnection: 50,
    source: 'GMX and web.de, "Postmaster"',
  },
];

/** @param hosts the names of a site's MX hosts */
export function findSiteLimits(hosts: readonly string[]): SiteLimits {
  const found = providerLimits.find((limits) =>
    hosts.some((host) => limits.hosts.some((suffix) => `.${host}`.endsWith(suffix))),
  );
  const { connections, recipientsPerMessage, messagesPerConnection } = found ?? DEFAULT_LIMITS;
  return { connections, recipientsPerMessage, messagesPerConnection };
}
