/**
 * SQL: whether `webhook` wants `event`. An event belongs to a domain if it is about the domain, or about an email that
 * was sent from it. Only emails have tags.
 */
export const WANTS_EVENT = `
  event.type = any(webhook.events)
  and (
    (webhook.domain_ids is null and webhook.tags is null)
    or (webhook.tags is null and (event.data ->> 'domain_id')::uuid = any(webhook.domain_ids))
    or exists (
      select from emails
      where emails.workspace_id = webhook.workspace_id and emails.id = event.stream_id
        and (webhook.domain_ids is null or emails.domain_id = any(webhook.domain_ids))
        and (webhook.tags is null or emails.tags && webhook.tags)
    )
  )`;
