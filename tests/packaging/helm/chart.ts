import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { Job } from 'kubernetes-types/batch/v1.js';
import type { Container, PodSpec } from 'kubernetes-types/core/v1.js';
import { parseAllDocuments } from 'yaml';

export const CHART = join(import.meta.dirname, '../../../deploy/helm/posthorn');

// biome-ignore lint/suspicious/noExplicitAny: each kind has other fields, which check-types.ts checks
export type Manifest = { apiVersion: string; kind: string; metadata: any; spec: any };

/** What `helm template` renders, as an installation of the release `mail`. */
export async function renderChart(helm: string, ...options: string[]): Promise<Manifest[]> {
  const { stdout } = await promisify(execFile)(helm, ['template', 'mail', CHART, ...options]);
  const documents = parseAllDocuments(stdout);
  if (!Array.isArray(documents)) return [];
  return documents.map((document) => document.toJS()).filter((manifest) => manifest !== null);
}

export function listPods(manifests: readonly Manifest[]): { name: string; pod: PodSpec; container: Container }[] {
  return manifests
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map((manifest) => {
      const { metadata, spec } = manifest as Deployment | Job;
      const pod = spec?.template.spec;
      const container = pod?.containers[0];
      if (!pod || !container) throw new Error(`${metadata?.name} has no container`);
      return { name: metadata?.name ?? '', pod, container };
    });
}

export function getEnvironment({ env = [] }: Container): Record<string, string | undefined> {
  return Object.fromEntries(env.map(({ name, value }) => [name, value]));
}
