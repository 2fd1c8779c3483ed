/** Whether a requirement is that of a check of the user's own, which is not judged again. */
export function isCustomCheck({ id }: { readonly id: string }): boolean {
  return id.startsWith('x/');
}
