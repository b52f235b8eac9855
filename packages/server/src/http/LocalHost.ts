/**
 * Whether a request comes from this machine itself, so that it may see keys.
 *
 * A website can point one of its own names to this machine and read what is served under that name (DNS rebinding), but
 * it cannot use the names of the machine itself. A proxy or tunnel can: some replace `Host`, and then anybody may be
 * behind it. It names itself or its caller in other headers.
 *
 * @module
 */

export const isLocal = (host: string | undefined): boolean =>
  /^(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?$/iu.test(host ?? "")

/** What proxies, tunnels and content delivery networks add. No browser sends any of them by itself. */
const added: ReadonlyArray<string> = [
  ["forwarded", "via", "cdn-loop", "true-client-ip", "tailscale-user-login"],
  ["cf-connecting-ip", "cf-ipcountry", "cf-ray", "cf-visitor", "cf-warp-tag-id"],
  ["fastly-client-ip", "fly-client-ip", "x-amzn-trace-id", "x-azure-clientip"],
  ["x-client-ip", "x-cluster-client-ip", "x-envoy-external-address", "x-real-ip"],
  ["", "-for", "-host", "-port", "-prefix", "-proto", "-scheme", "-server", "-ssl"].map(
    (end) => `x-forwarded${end}`,
  ),
  ["-for", "-host", "-proto", "-url"].map((end) => `x-original${end}`),
].flat()

/** Whether a request was sent to this machine by name, and through nothing that says so. */
export const isDirect = (header: (name: string) => string | undefined): boolean =>
  isLocal(header("host")) && added.every((name) => header(name) === undefined)
