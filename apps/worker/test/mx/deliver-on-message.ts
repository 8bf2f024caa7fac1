import { closeContext, openContext } from '@posthorn/platform';
import { readEnv, toConfig } from '@posthorn/platform/config';
import { createLog } from '@posthorn/platform/logs';
import { openDirectRelay } from '../../src/mx/direct-relay.js';
import { createMailDns } from '../../src/mx/dns-client.js';
import type { StsPolicy } from '../../src/mx/find-policy.js';
import type { Transaction } from '../../src/smtp/transaction-result.js';
import { defaultTimeouts } from '../default-timeouts.js';

/** @property policy the MTA-STS policy of the recipients' domains */
export type Delivery = { readonly to: readonly string[]; readonly policy: Omit<StsPolicy, 'expires'> | null };

export type Delivered = Pick<Transaction, 'end' | 'fault' | 'conversation'> & {
  readonly replies: ReadonlyArray<readonly [address: string, meaning: string, text: string]>;
  readonly ms: number;
};

/** Delivers each message of the parent straight to the recipients' mail servers. Its settings are environment variables. */
const ctx = openContext(toConfig(readEnv(process.env), 'worker'), 'test', { log: createLog('test', 'silent') });
const timeouts = { ...defaultTimeouts, greetingMs: 1_000, replyMs: 3_000 };

process.on('message', async ({ to, policy }: Delivery) => {
  const policies = {
    findPolicy: async () => policy && { ...policy, expires: new Date(Date.now() + 60_000) },
  };
  const relay = openDirectRelay(
    { ...ctx, dns: createMailDns(ctx.config), policies, timeouts },
    { id: 'mx', name: 'mx', source: { ipv4: null, ipv6: null }, ehlo: null, connections: null },
  );
  const startedAt = performance.now();
  const { end, fault, conversation, replies } = await relay.send({
    workspaceId: 'acme',
    envelope: { from: 'me@example.com', to },
    message: Buffer.from('Subject: Hi\r\n\r\nHi\r\n'),
    mayStart: () => true,
  });
  const delivered: Delivered = {
    ...{ end, fault, conversation },
    replies: [...replies].map(([address, { meaning, reply }]) => [address, meaning, reply.text]),
    ms: performance.now() - startedAt,
  };
  relay.close();
  process.send?.(delivered);
});
process.on('disconnect', () => void closeContext(ctx).then(() => process.exit()));
