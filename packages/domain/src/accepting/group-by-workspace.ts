/**
 * Groups what arrived together. In a Redis Cluster, the keys of one workspace share a slot, and a script or a pipeline
 * may use only one.
 */
export function groupByWorkspace<Item>(items: readonly Item[], workspaceIdOf: (item: Item) => string): Item[][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const id = workspaceIdOf(item);
    const group = groups.get(id);
    if (group) group.push(item);
    else groups.set(id, [item]);
  }
  return [...groups.values()];
}
