/** RFC 9457 problem details, the body of every answer that is not a success. */
export type Problem = {
  /** Where the served docs explain the code. */
  type: string;
  title: string;
  status: number;
  /** One sentence for a person. */
  detail: string;
  /** For programs; never changes. */
  code: string;
  request_id: string;
  /** On 422: every field that broke a rule. */
  errors?: FieldFault[];
  /** On cap refusals: when the period ends. */
  resets_at?: string;
};

export type FieldFault = { field: string; message: string };
