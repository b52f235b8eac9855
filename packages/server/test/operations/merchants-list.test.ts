import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../scene.ts"
import * as Laws from "./laws.ts"

const { play } = Laws

const list = (key: string, query = "") => Scene.send({ path: `/v1/merchants${query}`, key })

const names = ({ body }: Scene.Reply) =>
  Scene.list(body, "merchants").map((each) => Scene.text(each, "name"))

/** Creates merchants a second apart; returns their ids. */
const create = Effect.fnUntraced(function* (key: string, all: ReadonlyArray<string>) {
  const ids: Array<string> = []
  for (const name of all) {
    yield* TestClock.adjust("1 second")
    ids.push(yield* Scene.createMerchant(key, name))
  }
  return ids
})

describe("GET /v1/merchants", () => {
  play(
    "continues at the same place if merchants are created, changed or deleted between pages",
    ({ own }) =>
      Effect.gen(function* () {
        const ids = yield* create(own.key, ["One", "Two", "Three", "Four"])
        const first = yield* list(own.key, "?limit=2")
        assert.deepStrictEqual(names(first), ["Four", "Three"])
        yield* create(own.key, ["Five"])
        const two = { path: `/v1/merchants/${ids[1]}`, key: own.key }
        yield* Scene.send({ ...two, method: "PATCH", body: { merchantName: "Deux" } })
        yield* Scene.send({ path: `/v1/merchants/${ids[2]}`, key: own.key, method: "DELETE" })
        const cursor = encodeURIComponent(Scene.text(first.body, "nextCursor"))
        const rest = yield* list(own.key, `?limit=50&cursor=${cursor}`)
        assert.deepStrictEqual(names(rest), ["Deux", "One", "Corner Shop"])
        assert.isNull(Scene.at(rest.body, "nextCursor"))
      }),
  )
})
