export { isBounceHost } from './bounce-host.js';
export { checkDomain, checkDueDomains } from './check-domain.js';
export { checkRecords } from './check-records.js';
export { createDomain } from './create-domain.js';
export { type CheckedRecord, type DescribedDomain, describeDomains } from './describe-domains.js';
export { findActiveKey, listStoredKeys } from './dkim-key-store.js';
export { preparePlatformKey } from './dkim-keys.js';
export {
  buildPlatformRecords,
  type DnsRecord,
  getPlatformRecords,
  splitText,
  toBounceHost,
  toReturnPathDomain,
} from './dns-records.js';
export { listDomainEvents } from './domain-event-store.js';
export { assertOwnDomains, findAnyDomain, findDomain, listAllDomains, listDomains } from './domain-store.js';
export { markDomainVerified } from './mark-domain-verified.js';
export { toOrganizationalDomain, toRegisteredDomain } from './public-suffix.js';
export { rotateKey } from './rotate-dkim-key.js';
export { createSenderDomainFinder, type FindSenderDomain } from './sender-domain-store.js';
export {
  type Finding,
  type Findings,
  missing,
  notChecked,
  refuseTakenName,
  type SendingDomain,
  verified,
} from './sending-domain.js';
export { findSigningKey, type SigningKey, type SigningKeyCache, type SigningKeyContext } from './signing-key.js';
export { servesTrackingHost, toTrackingHost } from './tracking-host.js';
export { deleteDomain, updateDomain } from './update-domain.js';
