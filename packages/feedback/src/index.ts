export { type BounceReply, parseReply } from './bounce-classes/bounce-reply.js';
export { classifyBounce } from './bounce-classes/classify-bounce.js';
export { parseReport } from './reports/parse-report.js';
export type { DeliveryAction, FeedbackType, Report, ReportedRecipient } from './reports/report.js';
