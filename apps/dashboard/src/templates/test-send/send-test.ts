import type { AcceptedEmail, SendEmailRequest, Template } from '@posthorn/contract';
import { request } from '../../api/request';
import { emailsPath } from '../../emails/queries';
import { previewContent } from '../preview/preview-content';
import { type Samples, toTemplateVars } from '../samples/samples';
import type { TemplateContent } from '../template-content';

export type TestSource = {
  /** Null as long as it has never been saved. */
  readonly template: Template | null;
  /** Whether the texts are not the template's. */
  readonly changed: boolean;
  readonly content: TemplateContent;
  readonly samples: Samples;
};

/**
 * Sends a template to somebody who wants to see it. Texts that are not saved go as the preview has
 * them: a test must not change what others are sent.
 * @throws ApiError for faults in the texts; Error for variables without a value
 */
export async function sendTest(
  to: string,
  { template, changed, content, samples }: TestSource,
): Promise<AcceptedEmail> {
  const fields =
    template === null || changed ? await renderedFields(content, samples) : storedFields(template, samples);
  return request<AcceptedEmail>('POST', emailsPath, { to: [to], ...fields });
}

type ContentFields = Omit<SendEmailRequest, 'to'>;

function storedFields({ id, variables }: Template, samples: Samples): ContentFields {
  return { template_id: id, template_vars: toTemplateVars(samples, variables) };
}

async function renderedFields(content: TemplateContent, samples: Samples): Promise<ContentFields> {
  const { subject, html, text, missing } = await previewContent(content, samples, []);
  if (missing.length > 0) throw new Error(`Enter a sample value for these variables first: ${missing.join(', ')}.`);
  return { subject, html, text };
}
