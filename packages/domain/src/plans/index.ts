export {
  type Allowance,
  type LimitChange,
  type LimitOverrides,
  type Overage,
  type PlanId,
  plans,
  toAllowance,
  withUnverifiedCap,
} from './plans.js';
export { assertStorage, findStorageFault, READ_STORED_BYTES, readStoredBytes } from './storage-store.js';
