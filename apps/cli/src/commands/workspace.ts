import { createWorkspace, hashPassword } from '@posthorn/domain/accounts';
import { operator } from '@posthorn/domain/audit-log';
import { pauseWorkspace, resumeWorkspace } from '@posthorn/domain/deliverability';
import { limits } from '@posthorn/domain/limits';
import { type LimitChange, type PlanId, plans } from '@posthorn/domain/plans';
import { listWorkspaces, setPlan, setPlanLimits, setWorkspaceLimits } from '@posthorn/domain/workspaces';
import { Argument, type Command, Option } from 'commander';
import { assertWorkspaceExists, type CliContext, type RunAction } from '../command-line/context.js';
import {
  addLimitOptions,
  type LimitOptions,
  parseEmail,
  parseName,
  parsePassword,
  toLimitChange,
  viewLimits,
} from '../command-line/options.js';
import { pick } from '../command-line/print.js';

export function addPlanCommands(plan: Command, run: RunAction): void {
  addLimitOptions(plan.command('limits').addArgument(new Argument('<plan>').choices(Object.keys(plans))))
    .description('change the limits of a plan; workspaces with limits of their own keep them')
    .action((planId, options: LimitOptions) => run((ctx) => changePlanLimits(ctx, planId, toLimitChange(options))));
}

async function changePlanLimits(ctx: CliContext, planId: PlanId, change: LimitChange) {
  return viewLimits(await setPlanLimits(ctx, operator, planId, change));
}

export function addWorkspaceCommands(workspace: Command, run: RunAction): void {
  const planIds = Object.keys(plans);

  workspace
    .command('create')
    .description('create a workspace with an owner who can log in immediately')
    .requiredOption('--name <name>', 'name of the workspace', parseName(limits.workspaceName.max))
    .requiredOption('--email <address>', "owner's email address", parseEmail)
    .requiredOption('--password <text>', "owner's password", parsePassword)
    .addOption(new Option('--plan <plan>', 'plan of the workspace').choices(planIds).default('free'))
    .action((options) => run((ctx) => create(ctx, options)));

  workspace
    .command('list')
    .description('list all workspaces with their plans and limits, oldest first')
    .action(() => run(list));

  addLimitOptions(workspace.command('limits').argument('<id>', 'ID of the workspace'))
    .description('change the limits of one workspace, or show them if no option is given')
    .action((id, options: LimitOptions) => run((ctx) => changeLimits(ctx, id, toLimitChange(options))));

  workspace
    .command('plan')
    .description("change a workspace's plan")
    .argument('<id>', 'ID of the workspace')
    .addArgument(new Argument('<plan>').choices(planIds))
    .action((id, planId) => run((ctx) => changePlan(ctx, id, planId)));

  addPauseCommands(workspace, run);
}

function addPauseCommands(workspace: Command, run: RunAction): void {
  workspace
    .command('pause')
    .description('refuse new emails of a workspace, and tell its owners why')
    .argument('<id>', 'ID of the workspace')
    .requiredOption('--reason <text>', 'sentences that the owners will read', parseName(limits.pauseReason.max))
    .action((id, { reason }: { reason: string }) => run((ctx) => pause(ctx, id, reason)));

  workspace
    .command('resume')
    .description('let a paused workspace send again')
    .argument('<id>', 'ID of the workspace')
    .action((id) => run((ctx) => resume(ctx, id)));
}

type CreateOptions = { name: string; email: string; password: string; plan: PlanId };

async function create(ctx: CliContext, { name, email, password, plan }: CreateOptions) {
  const passwordHash = await hashPassword(password, email);
  const { workspaceId, userId } = await createWorkspace(ctx, { name, email, passwordHash, planId: plan });
  return { workspaceId, userId };
}

async function list({ db, config }: CliContext) {
  const workspaces = await listWorkspaces(db, config.rateLimitPerMinute);
  return workspaces.map((workspace) => ({
    ...pick(workspace, ['id', 'name', 'slug']),
    ...viewLimits(workspace.allowance),
    pausedAt: workspace.pause?.since ?? null,
    pauseReason: workspace.pause?.reason ?? null,
    createdAt: workspace.createdAt,
  }));
}

async function changeLimits(ctx: CliContext, id: string, change: LimitChange) {
  await assertWorkspaceExists(ctx, id);
  const { allowance } = await setWorkspaceLimits(ctx, operator, id, change);
  return { workspaceId: id, ...viewLimits(allowance) };
}

async function changePlan(ctx: CliContext, id: string, planId: PlanId) {
  await assertWorkspaceExists(ctx, id);
  await setPlan(ctx, operator, id, planId);
  return { workspaceId: id, plan: planId };
}

async function pause(ctx: CliContext, id: string, reason: string) {
  await assertWorkspaceExists(ctx, id);
  await pauseWorkspace(ctx, id, reason);
  return { workspaceId: id, paused: true };
}

async function resume(ctx: CliContext, id: string) {
  await assertWorkspaceExists(ctx, id);
  await resumeWorkspace(ctx, id);
  return { workspaceId: id, paused: false };
}
