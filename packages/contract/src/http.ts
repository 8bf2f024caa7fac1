/** One page of a list, newest first unless the operation says otherwise. */
export type List<Item> = {
  object: 'list';
  data: Item[];
  has_more: boolean;
  /** Pass it as `after` to get the next page, or as `before` if you used `before`. null on the last page. */
  next_cursor: string | null;
};

export type Deleted<Name extends string> = { object: Name; id: string; deleted: true };

/** RFC 9457 problem details, the body of every error response. */
export type Problem = {
  /** URL of the documentation for this code. */
  type: string;
  title: string;
  status: number;
  /** A human-readable explanation. */
  detail: string;
  /** A stable identifier for programs. */
  code: string;
  request_id: string;
  /** For 422: the invalid fields. */
  errors?: FieldFault[];
  /** If a cap was reached: when its period ends. */
  resets_at?: string;
};

export type FieldFault = { field: string; message: string };

export type Liveness = { status: 'ok' };

/** Whether to send requests to this process. With `unavailable` and `stopping`, the status of the response is 503. */
export type Readiness = {
  status: 'ready' | 'unavailable' | 'stopping';
  postgres: { state: 'writable' | 'read_only' | 'standby_lost' | 'unreachable' };
  /** `evicts`: Redis may drop keys when it runs out of memory. `full`: Redis has reached its memory limit. */
  redis: { reachable: boolean; evicts?: boolean; full?: boolean };
};

/** Something that the search field of the documentation can find. */
export type DocsSearchEntry = {
  title: string;
  /** Relative to the service. */
  url: string;
  /** `Guide`, the title of the section, or the method and path of an operation. */
  kind: string;
  /** The words to search in addition to the title. */
  text: string;
};

/**
 * The paths at which the API serves the dashboard. Emails link to some of them. For any other unknown path, the API
 * returns a 404: in JSON, or as a page to a browser that asks for HTML outside the API's own paths.
 */
export const dashboardPages = [
  '/',
  '/login',
  '/signup',
  '/forgot-password',
  '/reset-password',
  '/verify-email',
  '/accept-invitation',
  '/emails',
  '/emails/new',
  '/emails/:id',
  '/templates',
  '/templates/new',
  '/templates/:id',
  '/templates/:id/versions',
  '/suppressions',
  '/deliverability',
  '/domains',
  '/domains/:id',
  '/webhooks',
  '/webhooks/:id',
  '/api-keys',
  '/usage',
  '/audit-log',
  '/settings',
] as const;
