import type { EmailStatus } from '@posthorn/contract';
import type { EmailSummary } from './email.js';

/** A row of `selectSummaries`. */
export type SummaryRow = {
  id: string;
  status: EmailStatus;
  from_: string;
  to: string[];
  subject: string;
  template_id: string | null;
  tags: string[];
  created_at: Date;
  scheduled_at: Date | null;
};

export function toSummary(row: SummaryRow): EmailSummary {
  return {
    id: row.id,
    status: row.status,
    from: row.from_,
    to: row.to,
    subject: row.subject,
    templateId: row.template_id,
    tags: row.tags,
    createdAt: row.created_at,
    scheduledAt: row.scheduled_at,
  };
}
