import type { Allowance } from './plans.js';

/** The tenant, with the limits in force for it. Its emails belong to `id`. */
export type Workspace = {
  readonly id: string;
  /**
   * The workspace that has the templates, domains, keys and members: this one or, if it holds
   * test mail, the live workspace that it belongs to.
   */
  readonly liveId: string;
  /** The workspace with the test mail; null if there has been no test key yet. */
  readonly testId: string | null;
  readonly name: string;
  /** Local part of the platform sender: `<slug>@<platform domain>`. */
  readonly slug: string;
  readonly allowance: Allowance;
  readonly retention: WorkspaceRetention;
  /** The workspace's only owner, while the owner's address is not verified; null in every other case. */
  readonly unverifiedOwner: UnverifiedOwner | null;
  /** Whether any address might be suppressed. If not, there is nothing to look up when an email is accepted. */
  readonly hasSuppressions: boolean;
  /** While it is paused, its new live mail is refused; null in every other case. */
  readonly pause: WorkspacePause | null;
};

/** Since when a workspace is paused, and why, in sentences for its owners. */
export type WorkspacePause = { readonly since: Date; readonly reason: string };

/** How many days the workspace keeps its emails and their content; null for the service's own retention. */
export type WorkspaceRetention = { readonly contentDays: number | null; readonly emailDays: number | null };

/** Anyone could have signed up with this address, so the workspace may send to this address and to no other. */
export type UnverifiedOwner = {
  readonly email: string;
  /** A hash of the network that the sign-up came from. */
  readonly signupSource: string;
};
