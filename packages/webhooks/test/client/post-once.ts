import { createReceiverGuard, openWebhookClient } from '@posthorn/webhooks';

/** Posts once to the URL in the second argument, and prints the result. The first argument is a DNS server. */
const [dnsServer = '', url = ''] = process.argv.slice(2);
const guard = createReceiverGuard({ dnsServers: [dnsServer], webhookAllowedNetworks: ['127.0.0.1/32'] });
const client = openWebhookClient(guard, url, { maxConnections: 1, timeoutMs: 5_000 });
process.stdout.write(JSON.stringify(await client.post({ headers: {}, body: '{}' })));
await client.close();
