import type { BounceRule } from './bounce-rule.js';
import { messageRules } from './rules/about-message.js';
import { recipientRules } from './rules/about-recipient.js';
import { senderRules } from './rules/about-sender.js';
import { serverSpecificRules } from './rules/server-specific.js';
import { vagueRules } from './rules/vague.js';

/**
 * The first rule that matches decides. Servers use the same code for different reasons, so rules for specific
 * servers come first, and rules for codes that may mean anything come last.
 */
export const bounceRules: readonly BounceRule[] = [
  ...serverSpecificRules,
  ...senderRules,
  ...messageRules,
  ...recipientRules,
  ...vagueRules,
];
