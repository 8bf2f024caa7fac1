import { EVERY_WORKSPACE } from './every-workspace.js';

/** SQL: whether the workspace has suppressions, or there are some for all workspaces. @param id the column with its id */
export function hasSuppressionsSql(id: string): string {
  return `exists (select from suppressions where workspace_id in (${id}, '${EVERY_WORKSPACE}'))`;
}
