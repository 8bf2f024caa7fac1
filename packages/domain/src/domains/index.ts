export { checkDomain } from './checks/check-domain.js';
export { checkDueDomains } from './checks/check-due-domains.js';
export { checkRecords } from './checks/check-records.js';
export { type Dns, openDns } from './checks/dns.js';
export { createDomain } from './create-domain.js';
export { deleteDomain } from './delete-domain.js';
export { type CheckedRecord, type DescribedDomain, describeDomains } from './describe-domain.js';
export { assertOwnDomains } from './domain/assert-own-domains.js';
export { listDomainEvents } from './domain/domain-event-store.js';
export { findAnyDomain, findDomain, listAllDomains, listDomains } from './domain/domain-store.js';
export { type Finding, type Findings, missing, notChecked, verified } from './domain/finding.js';
export { nameTaken } from './domain/name-taken.js';
export { type FindSenderDomain, senderDomainFinder } from './domain/sender-domain-store.js';
export type { SendingDomain } from './domain/sending-domain.js';
export { findActiveKey, listStoredKeys } from './keys/domain-key-store.js';
export { preparePlatformKey } from './keys/prepare-platform-key.js';
export { findSigningKey, type SigningKey, type SigningKeyCache, type SigningKeyContext } from './keys/signing-key.js';
export { markDomainVerified } from './mark-domain-verified.js';
export { platformRecords, platformRecordsWith } from './platform-records.js';
export { type DnsRecord, splitText } from './records/dns-records.js';
export {
  type MakeReturnPath,
  type ReadReturnPath,
  type ReturnPathEnvelope,
  returnPathMaker,
  returnPathReader,
} from './records/return-path.js';
export { bounceHost } from './records/return-path-hosts.js';
export { trackingHost } from './records/tracking-host.js';
export { rotateKey } from './rotate-key.js';
export { servesTrackingHost } from './serves-tracking-host.js';
export { updateDomain } from './update-domain.js';
