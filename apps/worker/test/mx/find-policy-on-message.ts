import { createSsrfGuard } from '@posthorn/webhooks';
import { createMailDns } from '../../src/mx/dns-client.js';
import { createPolicyFetcher, createPolicyFinder } from '../../src/mx/find-policy.js';

/**
 * Finds the policy of each domain that the parent sends, and sends it back. The arguments are a DNS server and the port of
 * the HTTPS server.
 */
const [dnsServer = '', port] = process.argv.slice(2);
const timeoutMs = 4_000;

process.on('message', async (domain: string) => {
  // Nothing is cached from one question to the next.
  const dns = createMailDns({ dnsServers: [dnsServer] });
  const guard = createSsrfGuard({ dnsServers: [dnsServer], webhookAllowedNetworks: ['127.0.0.1/32'] });
  const fetchPolicy = createPolicyFetcher(guard, { port: Number(port), timeoutMs });
  const { findPolicy } = createPolicyFinder({ dns, fetchPolicy, now: () => new Date() }, { timeoutMs });
  const startedAt = performance.now();
  const policy = await findPolicy(domain);
  process.send?.({ policy, ms: performance.now() - startedAt });
});
