import { type LimitChange, type PlanId, plans, setPlanLimits } from '@posthorn/domain';
import { Argument, type Command } from 'commander';
import { addLimitOptions, type LimitOptions, toLimitChange, viewLimits } from '../limit-options.js';
import type { Operator } from '../operator.js';
import type { Run } from '../run.js';

export function declarePlan(program: Command, run: Run): void {
  const plan = program.command('plan').description('the plans of the catalog');
  addLimitOptions(plan.command('limits').addArgument(new Argument('<plan>').choices(Object.keys(plans))))
    .description('override limits of a plan, for every workspace without an override of its own')
    .action((planId, options: LimitOptions) =>
      run((operator) => changeLimits(operator, planId, toLimitChange(options))),
    );
}

async function changeLimits(operator: Operator, planId: PlanId, change: LimitChange) {
  return viewLimits(await setPlanLimits(operator, planId, change));
}
