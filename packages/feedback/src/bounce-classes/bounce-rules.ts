import type { BounceRule } from './bounce-rule.js';
import { messageRules } from './rules/about-message.js';
import { recipientRules } from './rules/about-recipient.js';
import { senderRules } from './rules/about-sender.js';
import { certainServerRules } from './rules/certain-servers.js';
import { vagueRules } from './rules/vague.js';

/**
 * The first rule that matches decides. Servers use the same code for different reasons, so rules that know the words of
 * a server come first, and rules for codes that may mean anything come last.
 */
export const bounceRules: readonly BounceRule[] = [
  ...certainServerRules,
  ...senderRules,
  ...messageRules,
  ...recipientRules,
  ...vagueRules,
];
