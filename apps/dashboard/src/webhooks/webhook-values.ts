import type { Mode, Webhook } from '@posthorn/contract';
import type { SelectableType } from './event-groups';

/** What the forms of a webhook contain. The mode cannot be changed later. */
export type WebhookValues = {
  url: string;
  events: SelectableType[];
  description: string;
  domain_ids: string[];
  tags: string[];
  mode: Mode;
};

export function emptyValues(mode: Mode): WebhookValues {
  return { url: '', events: [], description: '', domain_ids: [], tags: [], mode };
}

export function valuesOf({ url, events, description, domain_ids, tags, mode }: Webhook): WebhookValues {
  return { url, events: events as SelectableType[], description, domain_ids: domain_ids ?? [], tags: tags ?? [], mode };
}

/** The settings as in a request. An empty filter means all events. */
export function toSettings({ url, events, description, domain_ids, tags }: WebhookValues) {
  return {
    url: url.trim(),
    events,
    description,
    domain_ids: domain_ids.length > 0 ? domain_ids : null,
    tags: tags.length > 0 ? tags : null,
  };
}
