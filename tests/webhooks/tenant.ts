import type { Event, Webhook, WebhookDelivery } from '@posthorn/contract';
import type { TestWorkspace } from '@posthorn/testing';

// biome-ignore lint/suspicious/noExplicitAny: each response has another body
export type Answer = { readonly status: number; readonly body: any };

export type NewWebhook = Webhook & { readonly secret: string };

/** What a client with an API key does. */
export type TenantClient = {
  call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<Answer>;
  /** Sends an email to jane@example.com unless the fields say otherwise. @returns its id */
  send(fields?: object): Promise<string>;
  /** Creates a webhook for every type of event, unless the settings say otherwise. */
  addWebhook(url: string, settings?: object): Promise<NewWebhook>;
  changeWebhook(id: string, changes: object): Promise<Webhook>;
  getWebhook(id: string): Promise<Webhook>;
  /** Replays events. @returns how many */
  replay(id: string, body: object): Promise<number>;
  /** The newest 100. */
  deliveriesOf(id: string): Promise<WebhookDelivery[]>;
  /** Up to 100 events of an email, oldest first. */
  eventsOf(emailId: string): Promise<Event[]>;
};

export type Tenant = TestWorkspace & TenantClient;

export const EVERY_TYPE = [
  ...['accepted', 'scheduled', 'sent', 'deferred', 'delivered', 'bounced', 'complained', 'failed', 'expired'],
  ...['canceled', 'suppressed'],
].map((type) => `email.${type}`);

export function tenantWith(url: string, key: string): TenantClient {
  const call: TenantClient['call'] = async (method, path, body) => {
    const headers = { Authorization: `Bearer ${key}`, ...(body && { 'Content-Type': 'application/json' }) };
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  const succeed: (...request: Parameters<typeof call>) => Promise<Answer['body']> = async (...request) => {
    const { status, body } = await call(...request);
    if (status >= 300) throw new Error(`${request.slice(0, 2).join(' ')} returned ${status}: ${JSON.stringify(body)}`);
    return body;
  };
  return {
    call,
    async send(fields = {}) {
      const email = { to: ['jane@example.com'], subject: 'Hello', text: 'Secret text', ...fields };
      return (await succeed('POST', '/emails', email)).id;
    },
    addWebhook: (target, settings = {}) =>
      succeed('POST', '/webhooks', { url: target, events: EVERY_TYPE, ...settings }),
    changeWebhook: (id, changes) => succeed('PATCH', `/webhooks/${id}`, changes),
    getWebhook: (id) => succeed('GET', `/webhooks/${id}`),
    replay: async (id, body) => (await succeed('POST', `/webhooks/${id}/replay`, body)).events,
    deliveriesOf: async (id) => (await succeed('GET', `/webhooks/${id}/deliveries?limit=100`)).data,
    eventsOf: async (id) => (await succeed('GET', `/events?email_id=${id}&limit=100`)).data,
  };
}
