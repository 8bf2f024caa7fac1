export { type DomainTracking, type Tracking, trackingOf } from './tracking.js';
export { type ReadTrackingToken, type TrackedPart, trackingTokenMaker, trackingTokenReader } from './tracking-token.js';
export { openUnsubscribeLink, type UnsubscribeLink } from './unsubscribe-link.js';
export {
  sampleUnsubscribeUrl,
  sizeWithUnsubscribeUrl,
  UNSUBSCRIBE_VARIABLE,
  unsubscribeUrl,
  unsubscribeUrlOf,
  withLink,
  withUnsubscribeUrl,
} from './unsubscribe-url.js';
