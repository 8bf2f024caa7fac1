export type Usage = {
  object: 'usage';
  plan: { id: string; name: string; price_usd: number };
  monthly: Cap;
  daily: Cap;
  overage: {
    /** Whether sends beyond the monthly limit are accepted and billed. */
    allowed: boolean;
    /** Sends beyond the limit this month. */
    sends: number;
    /** The number of sends that `unit_price_usd` pays for. */
    per: number;
    unit_price_usd: number;
    /** Prorated and rounded to whole cents. */
    amount_usd: number;
  };
  rate_limit: { per_minute: number };
  /** Everything that the workspace keeps. */
  storage: { bytes: number; limit_bytes: number };
  /** Sends of test mail on this UTC day. */
  test_sends: { used: number; limit: number };
  /** The last 31 UTC days, including today, oldest first. */
  history: Array<{ date: string; sends: number }>;
};

/** Limits in days that the dashboard names too. The domain's table of limits says what each means. */
export const dayLimits = {
  testMail: 3,
  unconfirmed: 7,
  invitation: 7,
  ownerResume: 30,
  webhookLog: 30,
  search: 30,
} as const;

/** `limit` and `remaining` are null if there is no cap. */
export type Cap = { used: number; limit: number | null; remaining: number | null; resets_at: string };
