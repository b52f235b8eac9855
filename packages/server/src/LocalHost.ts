/**
 * Whether a request names this machine as its host. A website can point one of its own names to this machine and read
 * what is served under that name (DNS rebinding), but it cannot use these names. So pages that show keys are served
 * under these names only.
 *
 * @module
 */

export const isLocal = (host: string | undefined): boolean =>
  /^(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?$/iu.test(host ?? "")
