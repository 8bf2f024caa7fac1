/** What a person writes in a template. */
export type TemplateTexts = { name: string; subject: string; html_body: string; text_body: string };

/** A variable with a default can be left out of an email. A sample is for previews. */
export type DeclaredVariable = { name: string; default?: string; sample?: string };

/**
 * With `text_from_html`, `text_body` is left out and written from `html_body`. A template then has that text, and nothing
 * is written again when it is sent.
 */
export type CreateTemplateRequest = Omit<TemplateTexts, 'text_body'> & {
  text_body?: string;
  text_from_html?: boolean;
  variables?: DeclaredVariable[];
};

/** A placeholder of a template. */
export type TemplateVariable = { name: string; default: string | null; sample: string | null };

export type UpdateTemplateRequest = Partial<CreateTemplateRequest>;

export type Template = TemplateTexts & {
  object: 'template';
  id: string;
  /** The placeholders, in order of first appearance. */
  variables: TemplateVariable[];
  /** Increases with every change. An email keeps the version it was accepted with. */
  version: number;
  created_at: string;
  updated_at: string;
};

export type PreviewTemplateRequest = { template_vars?: Record<string, string | number | boolean | null> };

/** A request to preview texts without saving them. Empty texts are allowed. */
export type PreviewTextsRequest = Omit<TemplateTexts, 'name'> &
  PreviewTemplateRequest & { variables?: DeclaredVariable[] };

export type DuplicateTemplateRequest = { name?: string };

export type TemplatePreview = {
  subject: string;
  html: string;
  text: string;
  /** Variables without a value or a default. They are empty in the preview, but sending would fail with 422. */
  missing: string[];
};

/** `variables` lists the names of the variables that the texts contain. */
export type TextsPreview = TemplatePreview & { variables: string[] };

export type TemplateVersionSummary = {
  object: 'template_version';
  template_id: string;
  /** Version 1 is the original template. */
  version: number;
  subject: string;
  variables: TemplateVariable[];
  created_at: string;
};

/** The content of the template in this version. */
export type TemplateVersion = TemplateVersionSummary & Pick<Template, 'html_body' | 'text_body'>;
