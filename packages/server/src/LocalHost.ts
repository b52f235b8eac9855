/**
 * Whether a request names this machine as its host. A page of somebody else's may point a name of its own to this machine
 * and read what is served under that name (DNS rebinding), but it cannot take these names: what shows keys is served under
 * them alone.
 *
 * @module
 */

export const isLocal = (host: string | undefined): boolean =>
  /^(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?$/iu.test(host ?? "")
