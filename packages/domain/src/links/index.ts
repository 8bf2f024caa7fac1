export {
  buildTracking,
  type DomainTracking,
  type ReadTrackingToken,
  type TrackedPart,
  type Tracking,
  trackingTokenMaker,
  trackingTokenReader,
} from './tracking-links.js';
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
} from './unsubscribe-links.js';
