export {
  defineProblem,
  type FactsArguments,
  type FieldFault,
  faultAt,
  invalid,
  type ProblemEntry,
  ProblemError,
  type RateLimitState,
  Refusal,
  type RefusalCode,
  refusals,
} from './errors.js';
