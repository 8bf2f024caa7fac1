/** @returns the value of a field in a reply to INFO; undefined if the reply has no such field */
export function infoField(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1];
}
