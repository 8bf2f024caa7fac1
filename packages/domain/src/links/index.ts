export {
  buildTracking,
  createTrackingTokenMaker,
  createTrackingTokenParser,
  type DomainTracking,
  type ParseTrackingToken,
  type TrackedPart,
  type Tracking,
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
