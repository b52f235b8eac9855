/**
 * Money that no payment claims, in memory.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Caip from "../../domain/chain/Caip.ts"
import * as Claim from "../../domain/chain/Claim.ts"
import type * as Mode from "../../domain/ground/Mode.ts"
import type * as UnclaimedTransfer from "../../domain/outflow/UnclaimedTransfer.ts"
import { type Sum, UnclaimedStore } from "../UnclaimedStore.ts"
import type { Records } from "./Records.ts"
import { atomic, requireFound } from "./Rows.ts"

const oldestFirst = (
  left: UnclaimedTransfer.UnclaimedTransfer,
  right: UnclaimedTransfer.UnclaimedTransfer,
): number => left.foundAt - right.foundAt || (left.id < right.id ? -1 : 1)

export const make = ({ claims, unclaimed }: Pick<Records, "claims" | "unclaimed">) => {
  const scans = new Map<string, number>()
  const scanKey = (mode: Mode.Mode, chainId: Caip.ChainId): string => `${mode}:${chainId}`

  const all = (mode: Mode.Mode, where: (each: UnclaimedTransfer.UnclaimedTransfer) => boolean) =>
    Effect.sync(() =>
      [...unclaimed.values()]
        .filter((each) => each.mode === mode && where(each))
        .toSorted(oldestFirst),
    )
  const suspended = (mode: Mode.Mode) => all(mode, ({ state }) => state._tag === "Suspended")

  return UnclaimedStore.of({
    unclaimed: (id) => atomic(() => requireFound("unclaimed", unclaimed.get(id))),
    suspended: (mode, token, { least, limit }) =>
      Effect.map(suspended(mode), (each) =>
        each
          .filter(
            ({ transfer: { movement } }) =>
              Caip.sameToken(movement.token, token) && movement.quantity >= least,
          )
          .slice(0, limit),
      ),
    sums: (mode) =>
      Effect.map(suspended(mode), (each) => {
        const sums = new Map<string, Sum>()
        for (const { transfer } of each) {
          const { quantity, token } = transfer.movement
          const key = Caip.tokenKey(token)
          const known = sums.get(key) ?? { token, count: 0, quantity: 0n }
          const { count } = known
          sums.set(key, { token, count: count + 1, quantity: known.quantity + quantity })
        }
        return [...sums]
          .toSorted(([left], [right]) => (left < right ? -1 : 1))
          .map(([, sum]) => sum)
      }),
    broughtBy: (txHash) =>
      Effect.sync(() =>
        [...unclaimed.values()]
          .filter(({ transfer }) => transfer.txHash === txHash)
          .toSorted((left, right) => left.transfer.logIndex - right.transfer.logIndex),
      ),
    missed: (mode, chainId) =>
      all(
        mode,
        ({ missedSince, transfer }) =>
          missedSince !== undefined && transfer.movement.token.chainId === chainId,
      ),
    unmade: (asked) => Effect.sync(() => asked.filter((claim) => !claims.has(Claim.key(claim)))),
    scannedTo: (mode, chainId) => Effect.sync(() => scans.get(scanKey(mode, chainId)) ?? null),
    moveScan: (mode, chainId, from, to) =>
      Effect.sync(() => {
        const key = scanKey(mode, chainId)
        if ((scans.get(key) ?? null) !== from) return false
        scans.set(key, to)
        return true
      }),
    scanAgain: (mode, chainId, from) =>
      Effect.sync(() => {
        const key = scanKey(mode, chainId)
        const known = scans.get(key)
        if (known !== undefined && known > from) scans.set(key, from)
      }),
  })
}
