/** `/templates/:id` in the notation of OpenAPI: `/templates/{id}` */
export function withBraces(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}
