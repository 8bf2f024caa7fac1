export {
  defineProblem,
  type FactsArguments,
  type FieldFault,
  invalid,
  type ProblemEntry,
  ProblemError,
  type RateLimitState,
  Refusal,
  type RefusalCode,
  refusals,
  toItemFault,
} from './errors.js';
