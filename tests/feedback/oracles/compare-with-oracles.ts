import { findDisagreement, findOwnFault } from './check-bounces.js';
import { type GeneratedBounce, generateBounces } from './generate-bounces.js';
import { ensureInterpreter, type Oracle, oracles, readWithOracle } from './oracles.js';
import { reviewedDisagreements } from './reviewed-disagreements.js';

/**
 * Reads generated bounces with our parser and with others, and lists where they disagree.
 * @returns what must be looked at: what our parser reads wrongly, disagreements that nobody has reviewed, and parsers
 *   that are missing
 */
export async function compareWithOracles(print: (line: string) => void): Promise<string[]> {
  const bounces = [...generateBounces()];
  const failures: string[] = [];
  for (const bounce of bounces) {
    const fault = await findOwnFault(bounce);
    if (fault !== null) failures.push(`${bounce.name}: our parser ${fault}`);
  }
  print(`${bounces.length} generated bounces, ${failures.length} read wrongly by our parser`);
  for (const oracle of oracles) failures.push(...(await compareWith(oracle, bounces, print)));
  return failures;
}

async function compareWith(
  oracle: Oracle,
  bounces: readonly GeneratedBounce[],
  print: (line: string) => void,
): Promise<string[]> {
  let interpreter: string;
  try {
    interpreter = await ensureInterpreter(oracle, print);
  } catch (error) {
    return [(error as Error).message];
  }
  const readings = await readWithOracle(oracle, interpreter, bounces);
  const reviewed = new Map<string, string[]>();
  const failures: string[] = [];
  for (const [index, bounce] of bounces.entries()) {
    const disagreement = findDisagreement(bounce, readings[index] ?? []);
    if (disagreement === null) continue;
    const known = reviewedDisagreements.find(
      (each) => each.oracle === oracle.name && each.about === disagreement.about && each.bounces.test(bounce.name),
    );
    if (known) reviewed.set(known.why, [...(reviewed.get(known.why) ?? []), bounce.name]);
    else failures.push(`${bounce.name}: ${oracle.name} says ${disagreement.says}, which nobody has reviewed`);
  }
  const known = [...reviewed.values()].flat().length;
  const agreed = bounces.length - known - failures.length;
  print(
    `${oracle.name} agrees about ${agreed}, and disagrees about ${known} as reviewed and ${failures.length} others`,
  );
  for (const [why, names] of reviewed) {
    print(`  ${names.length}: ${why}`);
    for (const name of names) print(`    ${name}`);
  }
  return failures;
}
