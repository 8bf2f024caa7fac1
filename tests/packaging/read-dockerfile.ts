import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DockerfileParser } from 'dockerfile-ast';

const ROOT = join(import.meta.dirname, '../..');

export type Step = { readonly keyword: string; readonly text: string };

export type Stage = { readonly name: string; readonly base: string; readonly steps: readonly Step[] };

export type Dockerfile = {
  readonly stages: readonly Stage[];
  /** Names of the stages that start a process. */
  readonly targets: readonly string[];
  /** The steps of a stage, preceded by those of its base stages. */
  listSteps(name: string): Step[];
  /** What ENV sets in a stage and its base stages. */
  getEnvironment(name: string): Record<string, string>;
};

export function readDockerfile(): Dockerfile {
  const stages = readStages();

  function listSteps(name: string): Step[] {
    const stage = stages.find((candidate) => candidate.name === name);
    return stage ? [...listSteps(stage.base), ...stage.steps] : [];
  }

  return {
    stages,
    targets: stages.filter(({ steps }) => steps.some(({ keyword }) => keyword === 'CMD')).map(({ name }) => name),
    listSteps,
    getEnvironment: (name) =>
      Object.fromEntries(
        listSteps(name)
          .filter(({ keyword }) => keyword === 'ENV')
          .flatMap(({ text }) => text.split(/\s+/).map((pair) => pair.split('='))),
      ),
  };
}

function readStages(): Stage[] {
  const file = DockerfileParser.parse(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'));
  const stages: { name: string; base: string; steps: Step[] }[] = [];
  for (const instruction of file.getInstructions()) {
    const keyword = instruction.getKeyword();
    const step = { keyword, text: instruction.getTextContent().slice(keyword.length).trim() };
    const from = /^(\S+)(?:\s+AS\s+(\S+))?$/i.exec(step.text);
    if (step.keyword === 'FROM' && from) stages.push({ name: from[2] ?? '', base: from[1] ?? '', steps: [] });
    else stages.at(-1)?.steps.push(step);
  }
  return stages;
}
