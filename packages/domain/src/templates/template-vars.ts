export type TemplateVars = Readonly<Record<string, string | number | boolean | null>>;
