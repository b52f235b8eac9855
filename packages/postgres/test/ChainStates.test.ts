import { assert, layer } from "@effect/vitest"
import * as ChainState from "@florin/core/domain/chain/ChainState"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as ChainStates from "../src/storage/ChainStates.ts"
import { database } from "../test-support/databases.ts"

layer(database(), { excludeTestServices: true })("the state of a chain in PostgreSQL", (it) => {
  it.effect("stores the checkpoints as `marks`, as earlier versions did", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = ChainStates.make(sql)
      const chainId = Eip155.chainId(8453)
      const known = ChainState.initial(chainId)
      const checkpoints = [{ number: 7, hash: "0x7" }]
      yield* store.modifyChainState("test", chainId, () => ({ ...known, checkpoints }))
      const [row] = yield* sql`SELECT document FROM florin.chain_states`
      assert.deepStrictEqual(row, { document: { chainId, marks: checkpoints, halt: null } })
      assert.deepStrictEqual(yield* store.chainStates("test"), [{ ...known, checkpoints }])
    }),
  )
})
