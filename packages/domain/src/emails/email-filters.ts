import type { EmailStatus } from '@posthorn/contract';

/** The filters of the list. All but the last four have their own index. */
export type EmailFilters = {
  status?: EmailStatus;
  /** A recipient's address, case-insensitive. */
  to?: string;
  from?: string;
  /** `name:value` */
  tag?: string;
  templateId?: string;
  createdAfter?: Date;
  createdBefore?: Date;
  /** Only these emails. */
  ids?: readonly string[];
  /** The domain after the @ of the sender. */
  senderHost?: string;
};
