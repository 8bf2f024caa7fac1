import type { AcceptedEmail, SendEmailRequest, Template } from '@posthorn/contract';
import { request } from '../../api/request';
import { emailsPath } from '../../emails/queries';
import { previewTexts } from '../preview/preview-texts';
import { type Samples, varsOf } from '../samples/samples';
import type { Texts } from '../template-texts';

export type Tested = {
  /** Null as long as it has never been saved. */
  readonly template: Template | null;
  /** Whether the texts are not the template's. */
  readonly changed: boolean;
  readonly texts: Texts;
  readonly samples: Samples;
};

/**
 * Sends a template to somebody who wants to see it. Texts that are not saved go as the preview has
 * them: a test must not change what others are sent.
 * @throws ApiError for faults in the texts; Error for variables without a value
 */
export async function sendTest(to: string, { template, changed, texts, samples }: Tested): Promise<AcceptedEmail> {
  const content = template === null || changed ? await filledIn(texts, samples) : byTemplate(template, samples);
  return request<AcceptedEmail>('POST', emailsPath, { to: [to], ...content });
}

type Content = Omit<SendEmailRequest, 'to'>;

function byTemplate({ id, variables }: Template, samples: Samples): Content {
  return { template_id: id, template_vars: varsOf(samples, variables) };
}

async function filledIn(texts: Texts, samples: Samples): Promise<Content> {
  const { subject, html, text, missing } = await previewTexts(texts, samples, []);
  if (missing.length > 0) throw new Error(`Give these variables a sample value first: ${missing.join(', ')}.`);
  return { subject, html, text };
}
