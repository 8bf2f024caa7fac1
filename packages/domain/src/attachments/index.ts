export {
  type Attachment,
  AttachmentContent,
  type ClaimedAttachment,
  contentIdFault,
  contentTypeFault,
  decodeBase64,
  filenameFault,
  type StoredAttachment,
  toMediaType,
} from './attachment.js';
export { listAttachments, MAX_ATTACHED_BYTES_IN_MEMORY, readAttachment, stageAttachments } from './attachment-store.js';
export { deleteUnusedAttachments, warnOfUnreachableObjects } from './delete-unused-attachments.js';
