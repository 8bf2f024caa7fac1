export { JUNK_RECIPIENT } from './arf.js';
export type { RefusedPart } from './bounce-rule.js';
export { type BounceReply, classifyBounce, findRefusedPart, parseReply } from './classify-bounce.js';
export { findFeedbackLoop } from './feedback-loops.js';
export { parseReport, type ReadableMessage, readMessage } from './parse-report.js';
export type { DeliveryAction, FeedbackType, Report, ReportedRecipient } from './report.js';
