import { mkdtempSync, readFileSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Keys from "@florin/core/engine/partner/Keys"
import { AccountStore } from "@florin/core/ports/AccountStore"
import { Identifiers } from "@florin/core/ports/Identifiers"
import * as StorageMemory from "@florin/core/ports/StorageMemory"
import { Effect, Layer } from "effect"
import * as OperatorPort from "../../src/serve/OperatorPort.ts"

describe("the file for the first operator's key", () => {
  it.effect("gets a key with all scopes once, for its owner only", () =>
    Effect.gen(function* () {
      const path = join(mkdtempSync(join(tmpdir(), "florin-")), "operator.key")
      yield* OperatorPort.keepKey(path)
      const text = readFileSync(path, "utf8")
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
      const parsed = yield* Effect.fromResult(ApiKey.parse(text.trim()))
      const { caller, scopes } = yield* Keys.find(parsed)
      assert.strictEqual(caller._tag, "Operator")
      assert.deepStrictEqual(scopes, ApiKey.OperatorScope.literals)
      yield* OperatorPort.keepKey(path)
      assert.strictEqual(readFileSync(path, "utf8"), text)
      assert.lengthOf(yield* (yield* AccountStore).keys(null, null), 1)
    }).pipe(Effect.provide(Layer.provideMerge(StorageMemory.layer, Identifiers.layer))),
  )
})
