import type { TextsPreview } from '@posthorn/contract';
import { request } from '../../api/request';
import { templatesPath } from '../queries';
import { type Samples, toTemplateVars } from '../samples/samples';
import type { TemplateContent } from '../template-content';

/**
 * Renders the content with sample values. Only the API knows which variables the content uses, so a second request adds
 * samples for new ones.
 * @param known the last known variables, which usually make the second request unnecessary
 * @throws ApiError with the position of an error
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
