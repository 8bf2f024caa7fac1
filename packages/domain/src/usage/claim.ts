/** A client's Idempotency-Key on one request: hex SHA-256 of the key and of the request. */
export type Claim = { readonly keyHash: string; readonly fingerprint: string };
