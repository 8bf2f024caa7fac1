/** The providers whose events a relay can take. */
export const feedbackKinds = [
  'ses',
  'sendgrid',
  'postmark',
  'mailgun',
  'brevo',
  'mailjet',
  'sparkpost',
  'resend',
] as const;

export type FeedbackKind = (typeof feedbackKinds)[number];
