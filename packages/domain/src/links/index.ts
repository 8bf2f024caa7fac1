export {
  buildSampleUnsubscribeUrl,
  buildUnsubscribeUrl,
  findUnsubscribeUrl,
  measureWithUnsubscribeUrl,
  openUnsubscribeLink,
  UNSUBSCRIBE_VARIABLE,
  type UnsubscribeLink,
  withLink,
  withUnsubscribeUrl,
} from './list-unsubscribe.js';
export {
  buildTracking,
  type DomainTracking,
  type ReadTrackingToken,
  type TrackedPart,
  type Tracking,
  trackingTokenMaker,
  trackingTokenReader,
} from './tracking.js';
