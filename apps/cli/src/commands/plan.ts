import { operator } from '@posthorn/domain/audit-log';
import { type LimitChange, type PlanId, plans, setPlanLimits } from '@posthorn/domain/workspaces';
import { Argument, type Command } from 'commander';
import type { CliContext, RunAction } from '../command-line/context.js';
import { addLimitOptions, type LimitOptions, toLimitChange, viewLimits } from '../command-line/options.js';

export function addPlanCommands(plan: Command, run: RunAction): void {
  addLimitOptions(plan.command('limits').addArgument(new Argument('<plan>').choices(Object.keys(plans))))
    .description('change the limits of a plan; workspaces with limits of their own keep them')
    .action((planId, options: LimitOptions) => run((ctx) => changeLimits(ctx, planId, toLimitChange(options))));
}

async function changeLimits(ctx: CliContext, planId: PlanId, change: LimitChange) {
  return viewLimits(await setPlanLimits(ctx, operator, planId, change));
}
