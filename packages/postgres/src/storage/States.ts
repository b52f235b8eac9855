/**
 * The states of which a service has one each, and what is remembered of each chain.
 *
 * @module
 */
import * as ChainState from "@florin/core/domain/chain/ChainState"
import * as DenyList from "@florin/core/domain/chain/DenyList"
import * as KeyProofs from "@florin/core/domain/ground/KeyProofs"
import type * as Mode from "@florin/core/domain/ground/Mode"
import * as Alert from "@florin/core/domain/notify/Alert"
import type { LaneStore } from "@florin/core/ports/LaneStore"
import { initial, type States, type StateStore } from "@florin/core/ports/StateStore"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Connection from "../Connection.ts"
import * as Document from "./Document.ts"

interface Row extends Document.Row {
  readonly now: bigint
  readonly revision: number | null
}

const documents: { readonly [K in keyof States]: Document.Document<States[K]> } = {
  alerts: Document.of(Alert.Board),
  denyList: Document.of(DenyList.DenyList),
  keys: Document.of(KeyProofs.KeyProofs),
}
const chainDocument = Document.of(ChainState.ChainState)

/** Decides on the state of a name, and writes the next one, until no other process wrote first. */
const modify = <S, A>(
  sql: SqlClient,
  name: string,
  document: Document.Document<S>,
  first: S,
  decide: (current: S, now: number) => { readonly result: A; readonly next: S | null },
) =>
  Connection.guard(
    Connection.retryUntilWritten(
      Effect.gen(function* () {
        const [row] = yield* sql<Row>`SELECT
            (extract(epoch FROM statement_timestamp()) * 1000)::bigint AS now, revision, document
          FROM (VALUES (${name})) AS asked (name) LEFT JOIN florin.states USING (name)`
        const revision = row?.revision ?? 0
        const current = revision === 0 ? first : yield* document.decode(row?.document)
        const { next, result } = decide(current, Number(row?.now ?? 0n))
        if (next === null) return { result }
        // No row if another process wrote first.
        const [written] = yield* sql`INSERT INTO florin.states AS kept (name, revision, document)
          VALUES (${name}, 1, ${document.encode(next)})
          ON CONFLICT (name) DO UPDATE SET revision = kept.revision + 1, document = excluded.document
            WHERE kept.revision = ${revision}
          RETURNING revision`
        return written === undefined ? null : { result }
      }),
    ),
  )

/** What the names of the states of a mode's chains begin with. */
export const prefixOf = (mode: Mode.Mode): string => `${mode}/`

export const make = (sql: SqlClient): StateStore["Service"] => ({
  modify: Effect.fn("Storage.modifyState")((name, decide) =>
    modify(sql, name, documents[name], initial[name], decide),
  ),
})

/** The proofs of the keys. */
export const keys = (sql: SqlClient) =>
  modify(sql, "keys", documents.keys, initial.keys, (current) => ({ result: current, next: null }))

export const ofChains = (
  sql: SqlClient,
): Pick<LaneStore["Service"], "chainStates" | "modifyChainState"> => ({
  chainStates: Effect.fn("Storage.chainStates")((mode) =>
    Document.list(
      chainDocument,
      sql<Document.Row>`SELECT document FROM florin.states WHERE starts_with(name, ${prefixOf(mode)}) ORDER BY name`,
    ),
  ),

  modifyChainState: Effect.fn("Storage.modifyChainState")((mode, chainId, decide) =>
    modify(
      sql,
      `${prefixOf(mode)}${chainId}`,
      chainDocument,
      ChainState.initial(chainId),
      (current) => {
        const next = decide(current)
        return { result: next !== null, next }
      },
    ),
  ),
})
