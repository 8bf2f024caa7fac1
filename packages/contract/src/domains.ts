export type CreateDomainRequest = {
  /** Such as `mail.example.com`. A subdomain is a separate domain. */
  name: string;
};

/** At least one field. */
export type UpdateDomainRequest = {
  /** Whether emails that are accepted from now on record opens. */
  track_opens?: boolean;
  /** Whether emails that are accepted from now on record clicks on their links. */
  track_clicks?: boolean;
};

export type DomainStatus = 'pending' | 'verified' | 'withdrawn';

export type RecordStatus = 'pending' | 'verified' | 'missing' | 'wrong';

export type Domain = {
  object: 'domain';
  id: string;
  /** In lowercase, with internationalized labels in their ASCII form (A-labels). */
  name: string;
  /** You can send from a `verified` domain. A `withdrawn` one was verified, but its records have disappeared. */
  status: DomainStatus;
  /** The DNS records to publish. */
  records: DomainRecord[];
  /** Whether emails from this domain record opens. Off by default. */
  track_opens: boolean;
  /** Whether emails from this domain record clicks on their links. Off by default. */
  track_clicks: boolean;
  /** Whether this server can record opens and clicks. */
  tracking_available: boolean;
  created_at: string;
  verified_at: string | null;
  /** When a DNS check last got an answer. */
  checked_at: string | null;
};

/** A DNS record to publish for the domain. */
export type DomainRecord = {
  record: 'ownership' | 'dkim' | 'spf' | 'return_path_mx' | 'dmarc' | 'tracking';
  type: 'TXT' | 'MX' | 'CNAME';
  /** Fully qualified, without a trailing dot. */
  name: string;
  value: string;
  /** TXT only: the value, split into strings of at most 255 characters for zone files. */
  value_split?: string[];
  ttl: number;
  /** MX only. */
  priority?: number;
  status: RecordStatus;
  /** Whether this record is required to verify the domain. */
  required: boolean;
  /**
   * DKIM only. An `active` key signs emails, a `pending` key is waiting for this record, and a `retired` key has signed
   * emails that are still on their way.
   */
  key?: 'pending' | 'active' | 'retired';
  /** The values that DNS returned for the name. */
  found: string[];
  /** What is wrong and how to fix it. null if the record is correct or has not been checked yet. */
  message: string | null;
};

export type RecordKind = DomainRecord['record'];

export type KeyState = NonNullable<DomainRecord['key']>;
