export { addSuppression } from './add-suppression.js';
export { addressHasher, addressHashers, type HashAddress, shortAddressHash } from './address-hash.js';
export { deleteOldBounces } from './delete-old-bounces.js';
export { type FindSuppressed, suppressedFinder } from './find-suppressed.js';
export { type ImportedSuppression, importSuppressions } from './import-suppressions.js';
export { removeSuppression } from './remove-suppression.js';
export { soughtAddresses } from './sought-addresses.js';
export { bouncePolicies, canSuppress, REMEMBERED_DAYS, suppressBouncesSql } from './suppress-bounces.js';
export type { Suppression } from './suppression.js';
export {
  type ChangedHash,
  eraseSuppressedAddress,
  findSuppressionById,
  findSuppressionsOfAddresses,
  insertSuppressions,
  listSuppressions,
  replaceAddressHashes,
  type SoughtAddress,
  type SuppressionFilters,
} from './suppression-store.js';
