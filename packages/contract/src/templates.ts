export type CreateTemplateRequest = {
  /** For people. Several templates can have the same name. */
  name: string;
  /** Can contain placeholders such as `{{name}}`. */
  subject: string;
  /** Can contain placeholders, whose values are HTML-escaped. */
  html_body: string;
  /** Can contain placeholders. */
  text_body: string;
};

export type UpdateTemplateRequest = Partial<CreateTemplateRequest>;

export type Template = CreateTemplateRequest & {
  object: 'template';
  id: string;
  /** The names of the placeholders, in order of first appearance. */
  variables: string[];
  /** Increases with every change. An email keeps the version it was accepted with. */
  version: number;
  created_at: string;
  updated_at: string;
};

export type PreviewTemplateRequest = { template_vars?: Record<string, string | number | boolean | null> };

/** A request to preview texts without saving them. Empty texts are allowed. */
export type PreviewTextsRequest = Omit<CreateTemplateRequest, 'name'> & PreviewTemplateRequest;

export type TemplatePreview = {
  subject: string;
  html: string;
  text: string;
  /** Variables without a value. They are empty in the preview, but sending would fail with 422. */
  missing: string[];
};

/** `variables` lists the variables that the texts contain. */
export type TextsPreview = TemplatePreview & Pick<Template, 'variables'>;

export type TemplateVersionSummary = {
  object: 'template_version';
  template_id: string;
  /** Version 1 is the original template. */
  version: number;
  subject: string;
  variables: string[];
  created_at: string;
};

/** The content of the template in this version. */
export type TemplateVersion = TemplateVersionSummary & Pick<Template, 'html_body' | 'text_body'>;
