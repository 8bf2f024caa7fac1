import { brevo } from './brevo.js';
import { mailgun } from './mailgun.js';
import { mailjet } from './mailjet.js';
import { postmark } from './postmark.js';
import type { Provider } from './provider.js';
import { resend } from './resend.js';
import { sendgrid } from './sendgrid.js';
import { ses } from './ses.js';
import { sparkpost } from './sparkpost.js';

/** By the value of `--feedback`. */
export const providers = { ses, sendgrid, postmark, mailgun, brevo, mailjet, sparkpost, resend } satisfies {
  readonly [kind: string]: Provider;
};

export type ProviderKind = keyof typeof providers;

export type {
  FeedbackHeader,
  FeedbackRequest,
  FetchCertificate,
  HeldList,
  Provider,
  ProviderEvent,
  ProviderEventKind,
  RefusalReason,
  Verification,
} from './provider.js';
export { cacheCertificates } from './sns.js';
