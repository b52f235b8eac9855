/**
 * Next calls this once when its server starts. It starts the workers, which stop with the process.
 *
 * @module
 */
import process from "node:process"
import { florin } from "./florin.ts"

export const register = async (): Promise<void> => {
  await florin.workers.start()
  process.once("SIGTERM", florin.dispose).once("SIGINT", florin.dispose)
}
