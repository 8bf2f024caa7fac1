/**
 * The order in which a workspace's due emails are sent. Postgres stores the position in this list, so that it can sort
 * the queue by priority.
 */
export const priorities = ['high', 'normal', 'bulk'] as const;

export type Priority = (typeof priorities)[number];

export const DEFAULT_PRIORITY: Priority = 'normal';
