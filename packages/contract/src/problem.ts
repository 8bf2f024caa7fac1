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
