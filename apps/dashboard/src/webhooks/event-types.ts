import type { EventType } from '@posthorn/contract';

/** The types that a webhook can subscribe to. Test events are sent only on request. */
export type SelectableType = Exclude<EventType, 'webhook.test'>;

export const eventDescriptions: Readonly<Record<SelectableType, string>> = {
  'email.accepted': 'We stored the email.',
  'email.scheduled': 'It will be sent later, or at another time than before.',
  'email.sent': 'The next mail server accepted it.',
  'email.deferred': 'We will try again.',
  'email.delivered': 'The recipient’s mail server confirmed it.',
  'email.bounced': 'Permanently rejected.',
  'email.complained': 'The recipient marked it as spam.',
  'email.failed': 'It cannot be sent.',
  'email.expired': 'It expired before we could send it.',
  'email.canceled': 'Someone canceled it.',
  'email.suppressed': 'Not sent, because the address is suppressed.',
  'email.opened': 'Its images were loaded, if the domain records opens.',
  'email.clicked': 'A link was requested, if the domain records clicks.',
  'email.unsubscribed': 'The recipient used the link for unsubscribing.',
  'email.ambiguous': 'Unknown whether a mail server accepted it.',
  'email.recovered': 'A worker stopped, but the email was sent.',
  'domain.verified': 'You can send from the domain.',
  'domain.withdrawn': 'You can no longer send from the domain.',
  'domain.key_rotated': 'A new key signs your emails.',
  'usage.threshold': 'You used 80 or 100 percent of your daily or monthly sends.',
};

export const selectableTypes = Object.keys(eventDescriptions) as SelectableType[];

/** `All events`, or the types in the order in which they can happen. */
export function describeTypes(types: readonly EventType[]): string {
  const selected = selectableTypes.filter((type) => types.includes(type));
  return selected.length === selectableTypes.length ? 'All events' : selected.join(', ');
}
