export { eraseNextBatch } from './erase-next-batch.js';
export { ERASED_DOMAIN, isErasedAddress } from './erase-rows-store.js';
export { countRemainingEmails, listRemainingEmailIds } from './erasure-emails-store.js';
export { JournalError, readErasureJournal, repeatErasures } from './erasure-journal.js';
export { type Erasure, findErasure, type JournalEntry, listErasures, listJournal } from './erasure-store.js';
export { requestErasure } from './request-erasure.js';
