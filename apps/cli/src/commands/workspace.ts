import {
  createWorkspace,
  findWorkspace,
  isId,
  type LimitChange,
  limits,
  listWorkspaces,
  type PlanId,
  plans,
  setPlan,
  setWorkspaceLimits,
} from '@posthorn/domain';
import { Argument, type Command, Option } from 'commander';
import { unknownId } from '../failure.js';
import { addLimitOptions, type LimitOptions, toLimitChange, viewLimits } from '../limit-options.js';
import type { Operator } from '../operator.js';
import type { Run } from '../run.js';
import { emailValue, nameValue, passwordValue } from '../values.js';

export function declareWorkspace(program: Command, run: Run): void {
  const workspace = program.command('workspace').description('the tenants');
  const planIds = Object.keys(plans);

  workspace
    .command('create')
    .description('make a workspace with its owner, who can log in at once')
    .requiredOption('--name <name>', 'its name', nameValue(limits.workspaceName.max))
    .requiredOption('--email <address>', "the owner's address", emailValue)
    .requiredOption('--password <text>', "the owner's password", passwordValue)
    .addOption(new Option('--plan <plan>', 'its plan').choices(planIds).default('free'))
    .action((options) => run((operator) => create(operator, options)));

  workspace
    .command('list')
    .description('all workspaces, oldest first, with the numbers that hold for them')
    .action(() => run(list));

  addLimitOptions(workspace.command('limits').argument('<id>', 'of the workspace'))
    .description('override limits of one workspace; without options, show them')
    .action((id, options: LimitOptions) => run((operator) => changeLimits(operator, id, toLimitChange(options))));

  workspace
    .command('plan')
    .description('move a workspace to a plan')
    .argument('<id>', 'of the workspace')
    .addArgument(new Argument('<plan>').choices(planIds))
    .action((id, planId) => run((operator) => changePlan(operator, id, planId)));
}

type CreateOptions = { name: string; email: string; password: string; plan: PlanId };

async function create(operator: Operator, { name, email, password, plan }: CreateOptions) {
  const { workspaceId, userId } = await createWorkspace(operator, { name, email, password, planId: plan });
  return { workspace_id: workspaceId, user_id: userId };
}

async function list({ db, config }: Operator) {
  const workspaces = await listWorkspaces(db, config.rateLimitPerMinute);
  return workspaces.map((workspace) => ({
    id: workspace.id,
    name: workspace.name,
    slug: workspace.slug,
    ...viewLimits(workspace.allowance),
    created_at: workspace.createdAt,
  }));
}

async function changeLimits(operator: Operator, id: string, change: LimitChange) {
  await assertWorkspace(operator, id);
  const { allowance } = await setWorkspaceLimits(operator, id, change);
  return { workspace_id: id, ...viewLimits(allowance) };
}

async function changePlan(operator: Operator, id: string, planId: PlanId) {
  await assertWorkspace(operator, id);
  await setPlan(operator, id, planId);
  return { workspace_id: id, plan: planId };
}

/** @throws CommandFailure not_found */
export async function assertWorkspace({ db, config }: Operator, id: string): Promise<void> {
  const workspace = isId(id) ? await findWorkspace(db, id, config.rateLimitPerMinute) : null;
  if (!workspace) throw unknownId('workspace', id);
}
