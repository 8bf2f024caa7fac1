export type CreateTemplateRequest = { name: string; subject: string; html_body: string; text_body: string };

export type UpdateTemplateRequest = Partial<CreateTemplateRequest>;

export type Template = CreateTemplateRequest & {
  object: 'template';
  id: string;
  /** Names of the placeholders, in order of first appearance. */
  variables: string[];
  /** Counts the changes; an email keeps the version it was accepted with. */
  version: number;
  created_at: string;
  updated_at: string;
};

export type PreviewTemplateRequest = { template_vars?: Record<string, string | number | boolean | null> };

export type TemplatePreview = {
  subject: string;
  html: string;
  text: string;
  /** Variables without a value: empty here, a 422 when sending. */
  missing: string[];
};
