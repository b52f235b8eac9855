/**
 * The operations of the operator's API that help with findings and with stuck money. A test compares them with the
 * contract.
 *
 * @module
 */

/** The parameters and the members of the body. */
export type Request = { readonly [member: string]: string }

const id = (request: Request, name: string) => encodeURIComponent(request[name] ?? "")

/** Where a person looks or decides. */
export const places: { readonly [operation: string]: (request: Request) => string } = {
  "status.stuck": () => "/stuck",
  "outflows.short": () => "/outflows/short",
  "outflows.get": (request) => `/outflows/${id(request, "outflowId")}`,
  "inflows.list": () => "/unclaimed",
  "merchants.waiting": () => "/approvals",
  "relayers.list": () => "/relayers",
  "reconciliation.run": () => "/checks",
}

/** What a write needs. */
export type Scope = "support" | "treasury" | "admin"

/** The writes, with their paths in the API. */
export const deeds = {
  "chains.resume": {
    scope: "admin",
    path: (request: Request) => `/chains/${id(request, "chainId")}/resume`,
  },
  "chains.resumeToken": { scope: "admin", path: () => "/tokens/resume" },
  "outflows.retry": {
    scope: "support",
    path: (request: Request) => `/outflows/${id(request, "outflowId")}/retry`,
  },
  "outflows.retryAll": { scope: "support", path: () => "/outflows/retry" },
  "screening.confirm": { scope: "admin", path: () => "/screening/deny-list/confirm" },
  "inflows.return": {
    scope: "support",
    path: (request: Request) => `/inflows/${id(request, "inflowId")}/return`,
  },
} as const satisfies {
  readonly [operation: string]: {
    readonly scope: Scope
    readonly path: (request: Request) => string
  }
}
export type Operation = keyof typeof deeds
