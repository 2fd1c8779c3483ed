/** Whether a URL names this machine alone, so that what is sent there passes no network. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
