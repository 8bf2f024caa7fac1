import type { BounceClass } from '@posthorn/contract';
import type { BounceReply } from './bounce-reply.js';
import type { BounceRule } from './bounce-rule.js';
import { bounceRules } from './bounce-rules.js';

/**
 * Finds the class of a refusal. Where the reply code and the enhanced code disagree, the reply code says whether to try
 * again, and the enhanced code says why it was refused.
 */
export function classifyBounce(reply: BounceReply): BounceClass {
  return findRule(reply)?.class ?? 'unknown';
}

/** @returns the first rule that matches, or null */
export function findRule({ code, enhanced, text }: BounceReply): BounceRule | null {
  const matches = ({ codes, enhanced: pattern, exceptEnhanced, text: words }: BounceRule) =>
    (codes === undefined || (code !== null && codes.includes(code))) &&
    (pattern === undefined || (enhanced !== null && pattern.test(enhanced))) &&
    (exceptEnhanced === undefined || enhanced === null || !exceptEnhanced.test(enhanced)) &&
    (words === undefined || words.test(text));
  return bounceRules.find(matches) ?? null;
}
