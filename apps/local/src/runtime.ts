/** The content of `.posthorn/runtime.json`, which lets other programs find and use the running services. */
export type Runtime = {
  readonly api_url: string;
  readonly dashboard_url: string;
  /** null if SMTP_URL is set, because the inbox does not run then. */
  readonly inbox_url: string | null;
  readonly email: string;
  readonly password: string;
  readonly api_key: string;
  readonly database_url: string;
  readonly redis_url: string;
  readonly smtp_url: string;
};
