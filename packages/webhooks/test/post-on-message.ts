import { createSsrfGuard, createWebhookClient } from '@posthorn/webhooks';

/** Posts once to each URL that the parent sends, and sends the result back. The argument is a DNS server. */
const [dnsServer = ''] = process.argv.slice(2);
const guard = createSsrfGuard({ dnsServers: [dnsServer], webhookAllowedNetworks: ['127.0.0.1/32'] });

process.on('message', async (url: string) => {
  const client = createWebhookClient(guard, url, { maxConnections: 1, timeoutMs: 5_000 });
  process.send?.(await client.post({ headers: {}, body: '{}' }));
  await client.close();
});
