/** What a person writes in a template. */
export type TemplateTexts = {
  /** A display name. Several templates can have the same name. */
  name: string;
  /** Can contain placeholders such as `{{name}}`. */
  subject: string;
  /** Can contain placeholders, whose values are HTML-escaped. */
  html_body: string;
  /** Can contain placeholders. */
  text_body: string;
};

/** A variable with a default can be left out of an email. A sample is for previews. */
export type DeclaredVariable = {
  /** A placeholder of the template. */
  name: string;
  /** The value in emails that do not set this variable. */
  default?: string;
  /** The value in previews. */
  sample?: string;
};

/**
 * With `text_from_html`, leave out `text_body`: it is generated from `html_body` when the template
 * is saved. Sending the template does not generate it again.
 */
export type CreateTemplateRequest = Omit<TemplateTexts, 'text_body'> & {
  /** Can contain placeholders. */
  text_body?: string;
  /** Whether to generate text_body from html_body. */
  text_from_html?: boolean;
  /** Defaults and samples of placeholders. */
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
  /** Increases with every change. An email keeps the version that was current when it was accepted. */
  version: number;
  created_at: string;
  updated_at: string;
};

export type PreviewTemplateRequest = { template_vars?: Record<string, string | number | boolean | null> };

/** A request to preview content without saving it. Empty fields are allowed. */
export type PreviewTextsRequest = Omit<TemplateTexts, 'name'> &
  PreviewTemplateRequest & { variables?: DeclaredVariable[] };

export type DuplicateTemplateRequest = {
  /** By default, the copy is named after the original. */
  name?: string;
};

export type TemplatePreview = {
  subject: string;
  html: string;
  text: string;
  /** Variables without a value or a default. They are empty in the preview, but sending would fail with 422. */
  missing: string[];
};

/** `variables` lists the names of the variables that the content uses. */
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
