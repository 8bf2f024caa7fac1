import type { AcceptedEmail, SendEmailRequest, Template } from '@posthorn/contract';
import { request } from '../../api/request';
import { emailsPath } from '../../emails/get-emails';
import { previewContent } from '../preview/preview-content';
import { type Samples, toTemplateVars } from '../samples/samples';
import type { TemplateContent } from '../template-content';

export type TestSource = {
  /** Null if the template was never saved. */
  readonly template: Template | null;
  /** Whether the content differs from the saved template. */
  readonly changed: boolean;
  readonly content: TemplateContent;
  readonly samples: Samples;
};

/**
 * Sends a test email. Unsaved content is sent as rendered by the preview, because a test must not change the
 * template that other emails use.
 * @throws ApiError for errors in the content; Error for variables without a value
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
  return {
    template_id: id,
    template_vars: toTemplateVars(
      samples,
      variables.map(({ name }) => name),
    ),
  };
}

async function renderedFields(content: TemplateContent, samples: Samples): Promise<ContentFields> {
  const { subject, html, text, missing } = await previewContent(content, samples, []);
  if (missing.length > 0) throw new Error(`Enter a sample value for these variables first: ${missing.join(', ')}.`);
  return { subject, html, text };
}
