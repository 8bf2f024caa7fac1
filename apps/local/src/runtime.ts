/** `.posthorn/runtime.json`: what tools need to find and use the running service. */
export type Runtime = {
  readonly api_url: string;
  readonly dashboard_url: string;
  /** Null when SMTP_URL takes the place of the inbox. */
  readonly inbox_url: string | null;
  readonly email: string;
  readonly password: string;
  readonly api_key: string;
  readonly database_url: string;
  readonly redis_url: string;
  readonly smtp_url: string;
};
