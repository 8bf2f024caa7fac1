import type { TextsPreview } from '@posthorn/contract';
import { request } from '../../api/request';
import { templatesPath } from '../queries';
import { type Samples, toTemplateVars } from '../samples/samples';
import type { TemplateContent } from '../template-content';

/**
 * What an email with these texts would say. Which variables they use only the API knows: where it names
 * one that was not thought of, it is asked again with a sample for it.
 * @param known variables that the texts had before, to spare the second request
 * @throws ApiError with the position of a fault
 */
export async function previewContent(
  content: TemplateContent,
  samples: Samples,
  known: readonly string[],
): Promise<TextsPreview> {
  const preview = (vars: Record<string, string>) =>
    request<TextsPreview>('POST', `${templatesPath}/preview`, { ...content, template_vars: vars });
  const first = await preview(toTemplateVars(samples, known));
  const vars = toTemplateVars(samples, first.variables);
  return first.missing.some((name) => Object.hasOwn(vars, name)) ? preview(vars) : first;
}
