import type { Migration } from '../migration.js';
import { accounts } from './0001-accounts.js';
import { templates } from './0002-templates.js';
import { sendingDomains } from './0003-sending-domains.js';
import { emails } from './0004-emails.js';
import { usage } from './0005-usage.js';
import { passwordResets } from './0006-password-resets.js';
import { domainKeys } from './0007-domain-keys.js';
import { invitations } from './0010-invitations.js';
import { leanEmails } from './0011-lean-emails.js';
import { deletedWorkspaces } from './0012-deleted-workspaces.js';

/** Listed by hand: the order is the history, and a folder scan would not survive the build. */
export const migrations: readonly Migration[] = [
  accounts,
  templates,
  sendingDomains,
  emails,
  usage,
  passwordResets,
  domainKeys,
  invitations,
  leanEmails,
  deletedWorkspaces,
];
