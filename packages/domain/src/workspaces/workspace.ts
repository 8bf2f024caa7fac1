import type { Allowance } from './plans.js';

/** The tenant, with the numbers that hold for it now. */
export type Workspace = {
  readonly id: string;
  readonly name: string;
  /** Local part of the platform sender: `<slug>@<platform domain>`. */
  readonly slug: string;
  readonly allowance: Allowance;
};
