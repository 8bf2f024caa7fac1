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

/** Texts that need not be saved; an empty one is shown empty. */
export type PreviewTextsRequest = Omit<CreateTemplateRequest, 'name'> & PreviewTemplateRequest;

export type TemplatePreview = {
  subject: string;
  html: string;
  text: string;
  /** Variables without a value: empty here, a 422 when sending. */
  missing: string[];
};

/** `variables` as a template with these texts would have them. */
export type TextsPreview = TemplatePreview & Pick<Template, 'variables'>;

export type TemplateVersionSummary = {
  object: 'template_version';
  template_id: string;
  /** 1 is the template as it was created. */
  version: number;
  subject: string;
  variables: string[];
  created_at: string;
};

/** What the template said as long as this version was the current one. */
export type TemplateVersion = TemplateVersionSummary & Pick<Template, 'html_body' | 'text_body'>;
