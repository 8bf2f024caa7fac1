import type { Context } from '../context.js';
import type { Workspace } from './workspace.js';

/** The address that the workspace sends from when it names none of its own. */
export function platformAddress({ config }: Pick<Context, 'config'>, { slug }: Pick<Workspace, 'slug'>): string {
  return `${slug}@${config.platformSenderDomain}`;
}
