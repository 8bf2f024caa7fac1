export { type BounceReply, classifyBounce, parseReply } from './classify-bounce.js';
export { parseReport } from './parse-report.js';
export type { DeliveryAction, FeedbackType, Report, ReportedRecipient } from './report.js';
