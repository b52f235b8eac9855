import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Alert from "@florin/core/domain/notify/Alert"
import * as Counts from "@florin/testing/Counts"
import { Result, Schema } from "effect"

const base = Caip.ChainId.make("eip155:8453")
const optimism = Caip.ChainId.make("eip155:10")

const finding = (key: string, overrides: Partial<Alert.Finding> = {}): Alert.Finding => ({
  key,
  name: key,
  source: { part: "halts", chainId: null },
  text: `${key} needs you`,
  commands: [`florin ${key}`],
  details: { mode: "live" },
  ...overrides,
})

const halted = finding("halted")
const quiet: Alert.Look = { found: [], unread: [] }
const red: Alert.Look = { found: [halted], unread: [] }

const readBody = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      type: Schema.Literals(["operator.alert.raised", "operator.alert.cleared"]),
      timestamp: Schema.String,
      data: Schema.Struct({
        key: Schema.String,
        finding: Schema.String,
        since: Schema.String,
        text: Schema.String,
        commands: Schema.Array(Schema.String),
        details: Schema.JsonObject,
      }),
    }),
  ),
)

/** `raised halted` */
const said = ({ body }: Alert.Message): string => {
  const { data, type } = readBody(body)
  return `${type.replace("operator.alert.", "")} ${data.key}`
}

const never = () => false

/** Whether the receiver takes a message, or the process is killed while it is on its way or before it is sent. */
type Taking = ((said: string) => boolean) | "killed" | "killed before"

/** Looks that follow each other, a minute apart, and a receiver that takes everything but what it is told not to. */
const playing = () => {
  let board = Alert.empty
  let now = 1_900_000_000_000
  const sent: Array<Alert.Message> = []
  const send = (isTaken: Taking) => {
    for (;;) {
      const next = Alert.take(board, now)
      if (next === null || isTaken === "killed before") return
      const { message } = next
      sent.push(message)
      board = next.board
      if (isTaken === "killed" || !isTaken(said(message))) return
      board = Alert.recordDelivered(board, message)
    }
  }
  const look = (seen: Alert.Look, times = 1, isTaken: Taking = () => true) => {
    for (let count = 0; count < times; count++) {
      now += 60_000
      board = Alert.compare(board, seen, now)
      send(isTaken)
    }
  }
  return {
    look,
    sent,
    board: () => board,
    now: () => now,
    /** What was sent since this was asked last. */
    told: () => sent.splice(0).map(said),
    /** What is to be sent. */
    take: () => Alert.take(board, now)?.message ?? assert.fail("nothing is due"),
  }
}

describe("Alert", () => {
  it("is raised once after two checks in a row, and cleared once after five checks without the finding", () => {
    const { board, look, told } = playing()
    look(red)
    assert.deepStrictEqual(told(), [])
    look(red, 20)
    assert.deepStrictEqual(told(), ["raised halted"])
    look(quiet, Alert.looksToClear - 1)
    assert.deepStrictEqual(told(), [])
    look(quiet, 20)
    assert.deepStrictEqual(told(), ["cleared halted"])
    assert.deepStrictEqual(board(), Alert.empty)
  })

  it("is not raised by a single check", () => {
    const { board, look, told } = playing()
    look(red)
    look(quiet)
    assert.deepStrictEqual(board(), Alert.empty)
    look(red)
    assert.deepStrictEqual(told(), [])
  })

  it("stays raised while the finding comes and goes, whatever its numbers are", () => {
    const { look, told } = playing()
    for (let count = 0; count < 50; count++) {
      look({ found: [finding("halted", { text: `for ${count} min` })], unread: [] }, 2)
      look(quiet, Alert.looksToClear - 1)
    }
    assert.deepStrictEqual(told(), ["raised halted"])
  })

  it("contains the time and text of the check that raised it; when cleared, no commands", () => {
    const { look, now, sent } = playing()
    look(red)
    const since = new Date(now()).toISOString()
    look({ found: [finding("halted", { text: "two looks" })], unread: [] }, 3)
    look(quiet)
    const over = new Date(now()).toISOString()
    look(quiet, 10)
    const [raised, cleared] = sent.map(({ body }) => readBody(body))
    const data = { key: "halted", finding: "halted", since, text: "two looks" }
    assert.deepStrictEqual(raised, {
      type: "operator.alert.raised",
      timestamp: since,
      data: { ...data, commands: ["florin halted"], details: { mode: "live" } },
    })
    assert.deepStrictEqual(cleared, {
      type: "operator.alert.cleared",
      timestamp: over,
      data: { ...data, commands: [], details: { mode: "live" } },
    })
  })

  it("is not cleared by checks that could not read the finding's source", () => {
    const ofNodes = (chainId: Caip.ChainId) => ({ part: "nodes", chainId })
    const nodeDown = finding("node", { source: ofNodes(base) })
    const cases: ReadonlyArray<readonly [unread: Alert.Source, keeps: boolean]> = [
      [ofNodes(base), true],
      [{ part: "nodes", chainId: null }, true],
      [ofNodes(optimism), false],
      [{ part: "gas", chainId: base }, false],
    ]
    for (const [unread, keeps] of cases) {
      const { look, told } = playing()
      look({ found: [nodeDown], unread: [] }, 2)
      look({ found: [], unread: [unread] }, 20)
      const stillHalted = told()
      assert.deepStrictEqual(stillHalted, keeps ? ["raised node"] : ["raised node", "cleared node"])
    }
  })

  it("is sent again under the same id at each check, until it is received", () => {
    const { look, sent } = playing()
    look(red, 2, never)
    assert.lengthOf(sent, 1)
    look(red, 20, never)
    assert.lengthOf(sent, 21)
    look(red, 20)
    assert.lengthOf(sent, 22)
    assert.lengthOf(new Set(sent.map(({ body, id }) => `${id} ${body}`)), 1)
  })

  it("is not sent if it was cleared before its message was", () => {
    const { board, look, told } = playing()
    look(red, 2, "killed before")
    look(quiet, 5, "killed before")
    look(quiet, 10)
    assert.deepStrictEqual(told(), [])
    assert.deepStrictEqual(board(), Alert.empty)
  })

  it("is reported as cleared if the first message may have arrived", () => {
    const { look, told } = playing()
    look(red, 2, never)
    for (let count = 0; count < 30; count++) {
      look(quiet, 5, never)
      look(red, 2, never)
    }
    look(quiet, 5, never)
    told()
    look(quiet, 10)
    assert.deepStrictEqual(told(), ["cleared halted"])
  })

  it("is not sent again if it was raised again before the receiver got the message that it was cleared", () => {
    const { look, told } = playing()
    look(red, 2)
    assert.deepStrictEqual(told(), ["raised halted"])
    look(quiet, 5, "killed before")
    look(red, 2, "killed before")
    look(red, 10)
    assert.deepStrictEqual(told(), [])
  })

  it("does not delay other alerts if one message is refused", () => {
    const { look, told } = playing()
    const refused = (text: string) => !text.endsWith("halted")
    const both: Alert.Look = { found: [halted, finding("other")], unread: [] }
    look(both, 3, refused)
    assert.deepStrictEqual(told(), ["raised halted", "raised other", "raised halted"])
  })

  it("is sent again unchanged if the sending process was killed", () => {
    const { look, sent } = playing()
    look(red)
    look(red, 1, "killed")
    look(red, 5)
    const [first, second, ...others] = sent
    assert.strictEqual(first && said(first), "raised halted")
    assert.deepStrictEqual([second, others], [first, []])
  })

  it("does not take a late response to an earlier message for a response to the newest", () => {
    const { board, look, take } = playing()
    look(red, 2, never)
    look(quiet, 1, never)
    const earlier = take()
    look(quiet, 5, never)
    assert.deepStrictEqual(Alert.recordDelivered(board(), earlier).alerts, board().alerts)
    assert.strictEqual(said(take()), "cleared halted")
  })

  it("is raised again if it came back while its clearing was being sent", () => {
    const { board, look, told } = playing()
    look(red, 2)
    look(quiet, 4)
    told()
    look(quiet, 1, never)
    look(red, 1)
    assert.deepStrictEqual(told(), ["cleared halted", "cleared halted"])
    assert.lengthOf(board().alerts, 1)
    look(red, 1)
    assert.deepStrictEqual(told(), ["raised halted"])
  })

  it("is checked by one process at a time, and by another when the lease expires", () => {
    const first = Alert.hold(Alert.empty, "one", 100, 1) ?? assert.fail("it is taken")
    assert.isNull(Alert.hold(first, "two", 200, 99))
    assert.deepStrictEqual(Alert.hold(first, "one", 150, 99)?.lease, { holder: "one", endsAt: 150 })
    assert.deepStrictEqual(Alert.hold(first, "two", 200, 100)?.lease, {
      holder: "two",
      endsAt: 200,
    })
  })

  it("has a test message that only says that it arrived", () => {
    const { body, id } = Alert.testMessage(1_900_000_000_000)
    assert.match(id, /^alert_[0-9a-f]{40}$/u)
    assert.deepStrictEqual(JSON.parse(body), {
      type: "operator.alert.test",
      timestamp: "2030-03-17T17:46:40.000Z",
      data: { text: "This is a test. Nothing needs you." },
    })
  })

  it("is sent over https, or over http in a private network", () => {
    const isRead = (url: string) => Result.isSuccess(Alert.parseUrl(url))
    assert.isTrue(isRead("https://alerts.example.com/x"))
    assert.isTrue(isRead("http://10.0.0.5:8080/"))
    assert.isTrue(isRead("http://alerts.internal/"))
    assert.isFalse(isRead("http://alerts.example.com/"))
    assert.isFalse(isRead("alerts.example.com"))
  })

  const keys = ["one", "two", "three"] as const
  const Step = Schema.Struct({
    found: Schema.Array(Schema.Literals(keys)),
    unread: Schema.Boolean,
    times: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 7 })),
    /** The receiver takes it and says so, takes it and its answer is lost, or does not take it. */
    receiver: Schema.Literals(["well", "lost", "down"]),
  })

  it.prop(
    "leaves the receiver with the current state, in few messages, whatever is lost",
    { steps: Schema.Array(Step).check(Schema.isMaxLength(12)) },
    ({ steps }) => {
      const sources = new Map(keys.map((key) => [key, { part: key, chainId: null }]))
      const of = (key: (typeof keys)[number]) =>
        finding(key, { source: sources.get(key) ?? assert.fail(key) })
      let board = Alert.empty
      let now = 1_900_000_000_000
      let flips = 0
      const open = new Map<string, boolean>()
      const bodies = new Map<string, string>()
      const send = (receiver: (typeof Step.Type)["receiver"]) => {
        for (;;) {
          const next = Alert.take(board, now)
          if (next === null) return
          const { body, id } = next.message
          assert.strictEqual(bodies.get(id) ?? body, body)
          if (receiver !== "down" && !bodies.has(id)) {
            const { data, type } = readBody(body)
            const isRaised = type === "operator.alert.raised"
            // Without losses, what it is told is always news.
            if (receiver === "well" && !steps.some((each) => each.receiver !== "well")) {
              assert.notStrictEqual(open.get(data.key) ?? false, isRaised)
            }
            open.set(data.key, isRaised)
            bodies.set(id, body)
          }
          board = next.board
          if (receiver !== "well") return
          board = Alert.recordDelivered(board, next.message)
        }
      }
      const look = ({ found, receiver, unread }: Omit<typeof Step.Type, "times">) => {
        const before = new Set(board.alerts.filter((each) => each.isRaised).map(keyOf))
        now += 60_000
        const all = unread ? keys.map((key) => of(key).source) : []
        board = Alert.compare(board, { found: found.map(of), unread: all }, now)
        const after = new Set(board.alerts.filter((each) => each.isRaised).map(keyOf))
        for (const key of keys) {
          if (before.has(key) === after.has(key)) continue
          flips += 1
          assert.isFalse(unread && before.has(key), "an unread part cleared something")
        }
        send(receiver)
        const due = board.alerts.map(keyOf)
        assert.strictEqual(new Set(due).size, due.length)
      }
      for (const { times, ...step } of steps) {
        for (let count = 0; count < times; count++) look(step)
      }
      const last = steps.at(-1)?.found ?? []
      for (let count = 0; count < 12; count++) {
        look({ found: last, unread: false, receiver: "well" })
      }
      for (const key of keys) assert.strictEqual(open.get(key) ?? false, last.includes(key))
      assert.isAtMost(bodies.size, flips)
      assert.lengthOf(board.alerts, new Set(last).size)
    },
    { arbitrary: { runs: Counts.of({ usual: 200, full: 20_000 }) } },
  )
})

const keyOf = (each: Alert.Board["alerts"][number]): string => each.finding.key
