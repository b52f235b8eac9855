/**
 * The operations of the operator's API that help with findings and with stuck money. A test compares them with the
 * contract.
 *
 * @module
 */

/** Where a person looks or decides. */
export const places = {
  "status.stuck": "/stuck",
  "outflows.short": "/outflows/short",
  "outflows.get": "/outflows/:outflowId",
  "inflows.list": "/unclaimed",
  "merchants.waiting": "/approvals",
  "relayers.list": "/relayers",
  "reconciliation.run": "/checks",
} as const

/** The writes: the scope that each needs, and its path in the API. */
export const deeds = {
  "chains.resume": ["admin", "/chains/:chainId/resume"],
  "chains.resumeToken": ["admin", "/tokens/resume"],
  "outflows.retry": ["support", "/outflows/:outflowId/retry"],
  "outflows.retryAll": ["support", "/outflows/retry"],
  "screening.confirm": ["admin", "/screening/deny-list/confirm"],
  "inflows.return": ["support", "/inflows/:inflowId/return"],
} as const
export type Operation = keyof typeof deeds

/** Whether a table has an operation. */
export const isIn = <Table extends object>(
  table: Table,
  operation: string | null,
): operation is Extract<keyof Table, string> =>
  operation !== null && Object.hasOwn(table, operation)
