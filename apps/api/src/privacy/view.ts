import type { ErasureDetail, Erasure as ErasureJson } from '@posthorn/contract';
import type { Erasure } from '@posthorn/domain/erasure';

export function viewErasure(erasure: Erasure): ErasureJson {
  return {
    object: 'erasure',
    id: erasure.id,
    status: erasure.status,
    erased_emails: erasure.erasedEmails,
    waiting_emails: erasure.waitingEmails,
    requested_at: erasure.requestedAt.toISOString(),
    finished_at: erasure.finishedAt?.toISOString() ?? null,
  };
}

export function viewErasureDetail(erasure: Erasure, waitingEmailIds: string[]): ErasureDetail {
  return { ...viewErasure(erasure), waiting_email_ids: waitingEmailIds };
}
