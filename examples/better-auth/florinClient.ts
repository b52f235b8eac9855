/**
 * The plugin's part in the browser: `createAuthClient({ plugins: [florinClient()] })` has `florin.buy`,
 * `florin.purchases` and `florin.payment`, with the types of the server.
 *
 * @module
 */
import type { florinPayments } from "./florinPayments.ts"

interface FlorinClient {
  readonly id: "florin"
  /** Better Auth reads only its type: nothing of the server comes into the browser. */
  readonly $InferServerPlugin?: ReturnType<typeof florinPayments>
  pathMethods: Record<string, "GET" | "POST">
}

export const florinClient = (): FlorinClient => ({
  id: "florin",
  pathMethods: { "/florin/purchases": "GET", "/florin/payment": "GET" },
})
