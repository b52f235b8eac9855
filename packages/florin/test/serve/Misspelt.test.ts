import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Variables from "../../src/access/Variables.ts"
import * as Misspelt from "../../src/serve/Misspelt.ts"
import * as Setting from "../../src/serve/Setting.ts"
import * as Settings from "../../src/serve/Settings.ts"
import * as Program from "../program.ts"

const messageOf = (env: { readonly [name: string]: string }): string =>
  Result.match(Misspelt.refuse(env), { onFailure: ({ message }) => message, onSuccess: () => "" })

describe("Environment variables that begin with FLORIN_", () => {
  it("are refused if nothing reads them, each with the nearest name", () => {
    const message = messageOf({ FLORIN_SECOND_PERSN: "true", FLORIN_DENYLIST: "x", PATH: "/bin" })
    assert.include(
      message,
      "FLORIN_SECOND_PERSN is no variable of florin: did you mean FLORIN_SECOND_PERSON?",
    )
    assert.include(message, "did you mean FLORIN_DENY_LIST?")
    assert.include(message, "`env -u FLORIN_DENYLIST florin …`")
    assert.notInclude(messageOf({ FLORIN_OF_ANOTHER_PROGRAM: "x" }), "did you mean")
  })

  it("are accepted if they are a setting, its file, or read by a command", () => {
    const names = [...Settings.all.map(Setting.variable), ...Variables.names]
    assert.includeMembers(names, ["FLORIN_SEAL_KEY_FILE", "FLORIN_URL", "FLORIN_CONFIG"])
    assert.strictEqual(messageOf(Object.fromEntries(names.map((name) => [name, "x"]))), "")
  })

  it("are accepted if they are empty, as compose files leave them out", () => {
    assert.strictEqual(messageOf({ FLORIN_SECOND_PERSN: " " }), "")
  })

  it("are accepted if Kubernetes or Docker sets them for a service of that name", () => {
    const links = {
      FLORIN_SERVICE_HOST: "10.0.0.7",
      FLORIN_SERVICE_PORT: "80",
      FLORIN_SERVICE_PORT_HTTP: "80",
      FLORIN_PORT_80_TCP: "tcp://10.0.0.7:80",
      FLORIN_PORT_80_TCP_ADDR: "10.0.0.7",
      FLORIN_API_SERVICE_HOST: "10.0.0.7",
      FLORIN_API_PORT: "tcp://10.0.0.7:80",
    }
    assert.strictEqual(messageOf(links), "")
    assert.include(messageOf({ FLORIN_OPERATR_PORT: "80" }), "did you mean FLORIN_OPERATOR_PORT?")
  })

  it.each([["serve"], ["dev", "--once"], ["demo"], ["doctor"]])(
    "end florin %s before anything starts",
    (...words) =>
      Program.inDirectory(async (directory) => {
        const { code, err } = await Program.runIn(
          { FLORIN_SECOND_PERSN: "true", FLORIN_DIRECTORY: directory },
          ...words,
        )
        assert.strictEqual(code, 1)
        assert.include(err, "did you mean FLORIN_SECOND_PERSON?")
        assert.notInclude(err, "Starting")
      }),
  )
})
