type Json = { [name: string]: unknown };

/**
 * The schema of a request: the fields and descriptions of its type, with the limits of the rules that check it. The
 * rules' own type is used where there is one, because TypeScript does not tell integers from other numbers.
 */
export function withRules(type: Json, rules: Json): Json {
  const { properties, items, additionalProperties, patternProperties: _, ...constraints } = rules;
  const fields = (type.properties ?? {}) as Record<string, Json>;
  const rulesOf = (properties ?? {}) as Record<string, Json>;
  return {
    ...type,
    ...constraints,
    ...(type.properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(fields).map(([name, field]) => [name, withRules(field, rulesOf[name] ?? {})]),
      ),
    }),
    ...(type.items !== undefined && { items: withRules(type.items as Json, (items ?? {}) as Json) }),
  };
}
