import type { ParsedTemplate } from './parse-template.js';

/**
 * A placeholder. The default is used when an email has no value for it. The sample is only for people who write
 * templates.
 */
export type TemplateVariable = {
  readonly name: string;
  readonly default: string | null;
  readonly sample: string | null;
};

/** What an author declares about a placeholder. */
export type DeclaredVariable = Pick<TemplateVariable, 'name'> & Partial<TemplateVariable>;

/** A template as its author sees it, with the content of the current version. */
export type Template = TemplateFields & {
  id: string;
  version: number;
  /** Its placeholders, in order of first appearance in subject, html and text. */
  variables: TemplateVariable[];
  createdAt: Date;
  updatedAt: Date;
};

/** The fields that an author writes. Subject and bodies may contain `{{name}}`. */
export type TemplateFields = { name: string; subject: string; htmlBody: string; textBody: string };

/** What a request can set. Variables that are not declared have no default and no sample. */
export type TemplateInput = TemplateFields & { declared?: readonly DeclaredVariable[] };

/** The parts of a template that may contain variables. */
export type TemplateSource = Pick<TemplateFields, 'subject' | 'htmlBody' | 'textBody'>;

export type ParsedParts = {
  readonly subject: ParsedTemplate;
  readonly html: ParsedTemplate;
  readonly text: ParsedTemplate;
};

/** One immutable version, ready to be rendered. */
export type TemplateVersion = ParsedParts & Readonly<Pick<Template, 'id' | 'version' | 'variables'>>;
