export {
  type Attachment,
  type AttachmentContent,
  type ClaimedAttachment,
  decodeBase64,
  findContentIdFault,
  findContentTypeFault,
  findFilenameFault,
  isInvitationType,
  isMessageType,
  type StoredAttachment,
  toAttachmentContent,
  toMediaType,
  toMessageLines,
  toPlainContentId,
  toPlainMediaType,
  UNKNOWN_TYPE,
  withCharset,
} from './attachment.js';
export { listAttachments, MAX_ATTACHED_BYTES_IN_MEMORY, readAttachment, stageAttachments } from './attachment-store.js';
export { deleteUnusedAttachments, warnOfUnreachableObjects } from './unused-attachments-store.js';
