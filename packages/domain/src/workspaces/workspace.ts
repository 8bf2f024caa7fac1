import type { Allowance } from './plans.js';

/** The tenant, with the limits in force for it. */
export type Workspace = {
  readonly id: string;
  readonly name: string;
  /** Local part of the platform sender: `<slug>@<platform domain>`. */
  readonly slug: string;
  readonly allowance: Allowance;
};
