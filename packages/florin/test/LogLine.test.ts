import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Logger, Redacted } from "effect"
import * as LogLine from "../src/terminal/LogLine.ts"

/** What is written of an effect, each line without what is another each time. */
const written = (effect: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const keep = Logger.make<unknown, void>((options) => {
      const line = LogLine.logger.log(options)
      assert.match(line, /^timestamp=\S+Z level=[A-Z]+ fiber=#\d+ message=/u)
      lines.push(line.replace(/^timestamp=\S+ /u, "").replace(/ fiber=\S+/u, ""))
    })
    yield* Effect.provide(effect, Logger.layer([keep]))
    return lines
  })

/** A line as a program reads it: names and values in order, none of which it could read in another way. */
const read = (line: string): ReadonlyArray<readonly [string, string]> => {
  const form = /(?<name>[^\s"=]+)=(?:(?<json>"(?:[^"\\]|\\.)*")|(?<bare>[^\s"=]*))(?: |$)/uy
  const parts: Array<readonly [string, string]> = []
  while (form.lastIndex < line.length) {
    const { bare = "", json, name = "" } = form.exec(line)?.groups ?? assert.fail(line)
    parts.push([name, json === undefined ? bare : JSON.parse(json)])
  }
  return parts
}

describe("a log line", () => {
  it.effect("prints each field next to its text, with its name", () =>
    Effect.gen(function* () {
      const [line] = yield* written(
        Effect.logWarning("work was postponed", {
          chainId: 8453,
          fee: 12n,
          isLast: false,
          paymentId: null,
          faults: ["paused", "no code"],
          key: Redacted.make("secret"),
          lane: { chainId: 1 },
        }).pipe(Effect.annotateLogs({ url: "http://127.0.0.1:3000", role: "all" })),
      )
      assert.strictEqual(
        line,
        `level=WARN message="work was postponed" chainId=8453 fee=12 isLast=false paymentId=null ` +
          `faults="[\\"paused\\",\\"no code\\"]" key=<redacted> lane="{\\"chainId\\":1}" ` +
          "url=http://127.0.0.1:3000 role=all",
      )
    }),
  )

  it.effect("prints each name of a field once", () =>
    Effect.gen(function* () {
      const [line] = yield* written(
        Effect.logInfo("one", "two", { message: "three", level: "ERROR" }).pipe(
          Effect.annotateLogs({ "my level": "four", message: "five" }),
        ),
      )
      assert.strictEqual(
        line,
        `level=INFO message="one two" fields.message=three fields.level=ERROR my_level=four fields.fields.message=five`,
      )
    }),
  )

  it.effect("ends with the causes", () =>
    Effect.gen(function* () {
      const [failed, died] = yield* written(
        Effect.andThen(
          Effect.logError("it broke", { chainId: 1 }, Cause.fail(new Error("no\nlevel=INFO"))).pipe(
            Effect.annotateLogs({ role: "all" }),
          ),
          Effect.logError(new Error("odd")),
        ),
      )
      const parts = read(failed ?? "")
      assert.deepStrictEqual(
        parts.map(([name]) => name),
        ["level", "message", "chainId", "role", "cause"],
      )
      const [, told = ""] = parts.at(-1) ?? []
      assert.match(told, /^Error: no\nlevel=INFO\n +at /u)
      assert.strictEqual(died, `level=ERROR message="Error: odd"`)
    }),
  )

  it.effect("S37: makes its own commands pasteable, and none that a field quotes", () =>
    Effect.gen(function* () {
      const [line = ""] = yield* written(
        Effect.logWarning("look: `florin stuck`", { reason: "a contract said: `florin stuck`" }),
      )
      assert.deepStrictEqual(read(line), [
        ["level", "WARN"],
        ["message", "look: npx florin stuck"],
        ["reason", "a contract said: `florin stuck`"],
      ])
    }),
  )

  it.effect("cannot be forged by text from others, which can be read back", () =>
    Effect.gen(function* () {
      const hostile = [
        "done\ntimestamp=2026-01-01T00:00:00.000Z level=ERROR message=stolen",
        'x" level=ERROR y="',
        'x\\" level=ERROR',
        "level=ERROR",
        "a\r\u001b[2Kb",
        "\u001b[2J",
        "\u009b2J",
        "\u0085\u2028\u2029",
        "\u202eRORRE\u202c",
        "\u{e0001}\ud800",
        "\u007f",
        "",
        "\\n",
      ]
      for (const text of hostile) {
        const lines = yield* written(Effect.logInfo(text, { said: text, also: "well" }))
        const [line = ""] = lines
        assert.deepStrictEqual(read(line), [
          ["level", "INFO"],
          ["message", text],
          ["said", text],
          ["also", "well"],
        ])
        assert.notMatch(line, /[^\P{C}]|[\p{Zl}\p{Zp}]/u)
      }
      const [named] = yield* written(
        Effect.logInfo("all", { 'a="b"\nlevel': "ERROR", "\u001b[2J": "x" }),
      )
      assert.strictEqual(named, "level=INFO message=all a__b__level=ERROR \uFFFD[2J=x")
    }),
  )
})
