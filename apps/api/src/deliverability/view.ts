import type { Bounce as BounceJson, Deliverability, SendingWindow } from '@posthorn/contract';
import {
  type Bounce,
  type DeliverabilityReport,
  type SendingCounts,
  toSendingRates,
  type WindowCounts,
  windowNames,
} from '@posthorn/domain/feedback';
import { limits, MIN_COMPLAINTS_FOR_RATE, MIN_SENT_FOR_RATE } from '@posthorn/domain/limits';
import type { Workspace } from '@posthorn/domain/workspaces';
import { viewPause } from '../accounts/view.js';
import type { ApiContext } from '../context.js';

export function viewDeliverability(
  { config }: Pick<ApiContext, 'config'>,
  workspace: Workspace,
  { status, counts, domains, bounces }: DeliverabilityReport,
): Deliverability {
  return {
    object: 'deliverability',
    status,
    paused: viewPause(workspace),
    limits: {
      bounce_rate: { warning: limits.bounceWarning.max / 100, pause: limits.bouncePause.max / 100 },
      complaint_rate: { warning: limits.complaintWarning.max / 100, pause: limits.complaintPause.max / 100 },
      min_sent: MIN_SENT_FOR_RATE,
      min_complaints: MIN_COMPLAINTS_FOR_RATE,
    },
    windows: viewWindows(counts),
    domains: domains.map(({ domainId, name, counts: own }) => ({
      domain_id: domainId,
      name: domainId === null ? config.platformSenderDomain : name,
      windows: viewWindows(own),
    })),
    bounces: bounces.map(({ bounceClass, count }) => ({ class: bounceClass, count })),
  };
}

function viewWindows(counts: WindowCounts): SendingWindow[] {
  return windowNames.map((window) => ({ window, ...viewCounts(counts[window]) }));
}

function viewCounts(counts: SendingCounts): Omit<SendingWindow, 'window'> {
  const { bounceRate, complaintRate, level } = toSendingRates(counts);
  return {
    sent: counts.sent,
    bounced: counts.bounced,
    hard_bounced: counts.hardBounced,
    complained: counts.complained,
    bounce_rate: bounceRate,
    complaint_rate: complaintRate,
    status: level,
  };
}

export function viewBounce({ id, emailId, recipient, bounceClass, reply, createdAt }: Bounce): BounceJson {
  return {
    object: 'bounce',
    id,
    email_id: emailId,
    recipient,
    class: bounceClass,
    reply,
    created_at: createdAt.toISOString(),
  };
}
