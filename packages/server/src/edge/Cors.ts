/**
 * CORS for browsers on other origins: wallets there may call the gateway, and no page may call the partner interface.
 *
 * @module
 */
import type * as Exchange from "../http/Exchange.ts"
import type { EdgeSettings } from "./EdgeSettings.ts"

type Edge = Pick<EdgeSettings["Service"], "allowedOrigins" | "fieldVersionHeaders">

const gatewayPath = "/v1/gateway/"

const requestHeaders = [
  "Api-Key",
  "App-Id",
  "Client-Id",
  "Content-Type",
  "Sdk-Name",
  "Sdk-Platform",
  "Sdk-Version",
  "Svc-Version",
]

const preflightKeptInS = 24 * 60 * 60

/** The headers that let the requesting page read the response; none if it may not. */
export const headers = (
  { header, path }: Pick<Exchange.Incoming, "header" | "path">,
  { allowedOrigins, fieldVersionHeaders }: Edge,
): Exchange.Outgoing["headers"] => {
  const origin = header("origin")
  if (origin === undefined || !path.startsWith(gatewayPath)) return {}
  const names = ["Request-Id", "Retry-After", "Svc-Version", ...fieldVersionHeaders]
  const exposed = { "access-control-expose-headers": names.join(", ") }
  if (allowedOrigins === "all") return { "access-control-allow-origin": "*", ...exposed }
  return allowedOrigins.includes(origin)
    ? { "access-control-allow-origin": origin, vary: "Origin", ...exposed }
    : { vary: "Origin" }
}

/** Whether this is a browser's preflight request. */
export const isPreflight = ({ header, method, path }: Exchange.Incoming): boolean =>
  method === "OPTIONS" &&
  path.startsWith(gatewayPath) &&
  header("origin") !== undefined &&
  header("access-control-request-method") !== undefined

/** The response to {@link isPreflight}, without {@link headers}. */
export const preflight = (
  methods: ReadonlyArray<string>,
  { fieldVersionHeaders }: Edge,
): Exchange.Outgoing => ({
  status: 204,
  headers: {
    "access-control-allow-methods": methods.join(", "),
    "access-control-allow-headers": [...requestHeaders, ...fieldVersionHeaders].join(", "),
    "access-control-max-age": String(preflightKeptInS),
  },
  body: "",
})
