import type { Context } from '@posthorn/platform';
import type { Workspace } from './workspace.js';

/** The address of a workspace's platform sender. */
export function platformAddress({ config }: Pick<Context, 'config'>, { slug }: Pick<Workspace, 'slug'>): string {
  return `${slug}@${config.platformSenderDomain}`;
}
