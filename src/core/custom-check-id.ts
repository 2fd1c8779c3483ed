/** Whether a requirement belongs to a custom check. A replay does not judge these again. */
export function isCustomCheck({ id }: { readonly id: string }): boolean {
  return id.startsWith('x/');
}
