export type Usage = {
  object: 'usage';
  plan: { id: string; name: string; price_usd: number };
  monthly: Cap;
  daily: Cap;
  overage: {
    /** Whether sends beyond the monthly limit are taken, and billed. */
    allowed: boolean;
    /** Sends of this month beyond the limit. */
    sends: number;
    /** `unit_price_usd` is the price of this many sends. */
    per: number;
    unit_price_usd: number;
    /** Pro rata, in whole cents. */
    amount_usd: number;
  };
  rate_limit: { per_minute: number };
  /** The last 31 UTC days with today, oldest first. */
  history: Array<{ date: string; sends: number }>;
};

/** `limit` and `remaining` are null where there is no cap. */
export type Cap = { used: number; limit: number | null; remaining: number | null; resets_at: string };
