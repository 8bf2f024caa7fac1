/** A module hook that resolves a workspace's packages to their sources, as `node --conditions=@posthorn/source` does. */
export function resolve(specifier, context, next) {
  return next(specifier, { ...context, conditions: [...context.conditions, '@posthorn/source'] });
}
