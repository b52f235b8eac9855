import { assert, describe, it } from "@effect/vitest"
import * as Bridges from "../../src/collect/Bridges.ts"

const complete = { type: "IC_COMPLETE", success: true } as const
const text = '{"type":"IC_COMPLETE","success":true}'

/** A window with nothing around it, and what it has of bridges. */
const alone = (bridges: Omit<Partial<Bridges.Host>, "parent"> = {}) => {
  const toldItself: Array<string> = []
  const window = { toldItself, postMessage: (told: string) => void toldItself.push(told) }
  return Object.assign(window, { opener: null, ...bridges, parent: window })
}

describe("the bridges of web views", () => {
  it("each get the message once, as JSON text", () => {
    const heard: Array<ReadonlyArray<string>> = []
    const port = (name: string) => ({
      postMessage: (...told: ReadonlyArray<string>) => void heard.push([name, ...told]),
    })
    const host: Bridges.Host = {
      ReactNativeWebView: port("React Native"),
      webkit: { messageHandlers: { payDataCollectionComplete: port("iOS") } },
      AndroidWallet: {
        onDataCollectionComplete: (...told) => void heard.push(["Android", ...told]),
      },
      parent: port("parent"),
      opener: port("opener"),
    }
    Bridges.post(host, complete)
    assert.deepStrictEqual(heard, [
      ["React Native", text],
      ["iOS", text],
      ["Android", text],
      ["parent", text, "*"],
      ["opener", text, "*"],
    ])
  })

  it("are optional, and a window is not its own parent", () => {
    for (const bridges of [{}, { webkit: {} }, { webkit: { messageHandlers: {} } }]) {
      const host = alone(bridges)
      Bridges.post(host, complete)
      assert.deepStrictEqual(host.toldItself, [])
    }
  })

  it("still get the message if another one throws", () => {
    const heard: Array<string> = []
    const host = alone({
      ReactNativeWebView: {
        postMessage: () => {
          throw new Error("taken away")
        },
      },
      opener: { postMessage: (told) => void heard.push(told) },
    })
    Bridges.post(host, { type: "IC_ERROR", error: "expired" })
    assert.deepStrictEqual(heard, ['{"type":"IC_ERROR","error":"expired"}'])
  })

  it("are called on their own object, as native ones require", () => {
    class Native {
      readonly #heard: Array<string> = []
      onDataCollectionComplete(told: string) {
        this.#heard.push(told)
      }
      get heard() {
        return this.#heard
      }
    }
    const native = new Native()
    Bridges.post(alone({ AndroidWallet: native }), complete)
    assert.deepStrictEqual(native.heard, [text])
  })
})
