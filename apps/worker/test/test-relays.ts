import { toServerName } from '@posthorn/domain/relays';
import type { Log } from '@posthorn/platform/logs';
import { type Relay, toRelay } from '../src/smtp/connection.js';
import type { OnTransaction } from '../src/smtp/failover.js';
import { openRelays } from '../src/smtp/relays.js';
import type { OutgoingMessage } from '../src/smtp/send-message.js';
import type { Timeouts } from '../src/smtp/timeouts.js';

/** A relay without options. */
export function toTestRelay(url: string, timeouts: Timeouts): Relay {
  return toRelay({ name: 'env-1', url, source: { ipv4: null, ipv6: null }, ehlo: null, connections: null }, timeouts);
}

type Settings = { readonly smtpUrls: readonly string[]; readonly checkSender: string; readonly timeouts: Timeouts };

/** The servers of SMTP_URL, which messages are sent by in their order. */
export function openTestRelays(settings: Settings, log: Log, onTransaction?: OnTransaction) {
  // Servers of SMTP_URL alone need neither Postgres nor Redis.
  const ctx = { log } as Parameters<typeof openRelays>[0];
  const secrets = {
    ...{ secretKey: null, previousSecretKeys: [] },
    openDirect: () => {
      throw new Error('These relays are servers');
    },
  };
  const relays = openRelays(ctx, { ...settings, ...secrets }, onTransaction);
  const names = settings.smtpUrls.map((_, index) => toServerName(index));
  const send = ({ message, ...outgoing }: OutgoingMessage) =>
    relays.send({ ...outgoing, build: async () => message }, names);
  return { ...relays, send };
}

export type TestRelays = ReturnType<typeof openTestRelays>;
