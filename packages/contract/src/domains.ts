export type CreateDomainRequest = { name: string };

export type DomainStatus = 'pending' | 'verified' | 'withdrawn';

export type RecordStatus = 'pending' | 'verified' | 'missing' | 'wrong';

export type Domain = {
  object: 'domain';
  id: string;
  /** In lower case and A-labels. */
  name: string;
  status: DomainStatus;
  records: DomainRecord[];
  created_at: string;
  verified_at: string | null;
  /** The last check to which DNS gave an answer. */
  checked_at: string | null;
};

/** One line of the domain's DNS zone. */
export type DomainRecord = {
  record: 'ownership' | 'dkim' | 'spf' | 'return_path_mx' | 'dmarc';
  type: 'TXT' | 'MX';
  /** Fully qualified, without a dot at the end. */
  name: string;
  value: string;
  /** Only of TXT: the value in strings of at most 255 characters, as zone files need it. */
  value_split?: string[];
  ttl: number;
  /** Only of MX. */
  priority?: number;
  status: RecordStatus;
  /** Whether the domain is verified only with it. */
  required: boolean;
  /** Only of DKIM: whether its key signs, waits for this record, or has signed mail that is under way. */
  key?: 'pending' | 'active' | 'retired';
  /** What DNS has under the name. */
  found: string[];
  /** What is wrong and what to do; null when all is well or nobody looked yet. */
  message: string | null;
};
