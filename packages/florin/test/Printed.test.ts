import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Payments from "../src/commands/Payments.ts"
import * as Hint from "../src/terminal/Hint.ts"
import * as Printable from "../src/terminal/Printable.ts"
import * as ProgressBar from "../src/terminal/ProgressBar.ts"
import * as Table from "../src/terminal/Table.ts"
import * as Terminal from "../src/terminal/Terminal.ts"
import * as WireAmount from "../src/terminal/WireAmount.ts"

describe("Printable", () => {
  it("removes characters that move the cursor or reverse a line", () => {
    assert.strictEqual(
      Printable.from("Caf\u00e9 ☕\u001b[2J\r\u202Egnp\u200B"),
      "Café ☕�[2J��gnp�",
    )
  })

  it("S37: keeps only the program's own line breaks and colors", () => {
    assert.strictEqual(
      Printable.output("\u001b[32m✓\u001b[39m done\n\u001b[2J\u009b31m\u202e\r\t"),
      "\u001b[32m✓\u001b[39m done\n�[2J�31m���",
    )
  })

  it("S37: replaces backticks in texts of others, which would mark a command", () => {
    const name = Printable.from("Shop: `florin payouts release out_1`")
    assert.strictEqual(name, "Shop: 'florin payouts release out_1'")
    assert.strictEqual(Hint.makePasteable(name), name)
    const cells: ReadonlyArray<Table.Column<string>> = [{ name: "name", of: (text) => text }]
    assert.deepStrictEqual(Table.lines(cells, ["`florin stuck`"]), ["name", "'florin stuck'"])
  })
})

describe("WireAmount", () => {
  it("reads back what it prints, without rounding", () => {
    for (const [text, value] of [
      ["0.01 USD", "1"],
      ["12.5 USD", "1250"],
      ["12 EUR", "1200"],
      ["9007199254740993.01 CHF", "900719925474099301"],
      ["7 JPY", "7"],
    ] as const) {
      const amount = Result.getOrThrow(WireAmount.parse(text, undefined))
      assert.strictEqual(amount.value, value)
    }
    const display = { assetSymbol: "USD", decimals: 2 }
    assert.strictEqual(
      WireAmount.toText({ unit: "iso4217/USD", value: "1250", display }),
      "12.50 USD",
    )
    const token = { assetSymbol: "USDC", decimals: 6, networkName: "Base" }
    assert.strictEqual(
      WireAmount.toText({ unit: "caip19/x", value: "12500000", display: token }),
      "12.50 USDC on Base",
    )
  })

  const refused: ReadonlyArray<readonly [amount: string, message: string]> = [
    ["12,50 USD", "an amount is written like 12.50"],
    ["-1 USD", "an amount is written like 12.50"],
    ["01 USD", "an amount is written like 12.50"],
    ["1e3 USD", "an amount is written like 12.50"],
    ["1.5 JPY", "JPY has 0 decimals, not 1"],
    ["12.50 XAU", "the currency is not supported"],
  ]
  for (const [amount, message] of refused) {
    it(`refuses the ambiguous amount ${amount}`, () => {
      const parsed = WireAmount.parse(amount, undefined)
      assert.include(Result.isFailure(parsed) ? parsed.failure.message : "it was read", message)
    })
  }

  it("refuses two currencies for one amount", () => {
    assert.isTrue(Result.isFailure(WireAmount.parse("1 USD", "EUR")))
    assert.isTrue(Result.isSuccess(WireAmount.parse("1 USD", "USD")))
  })
})

/** Runs with other arguments of this process, in another directory. */
const within = <A>(args: ReadonlyArray<string>, at: string, work: () => A): A => {
  const was = { args: process.argv.splice(2), at: process.cwd() }
  process.argv.push(...args)
  process.chdir(at)
  try {
    return work()
  } finally {
    process.argv.splice(2, Infinity, ...was.args)
    process.chdir(was.at)
  }
}

const repository = fileURLToPath(new URL("../../..", import.meta.url))

describe("a printed command", () => {
  const shown = (args: ReadonlyArray<string>, text: string, at = repository) =>
    within(args, at, () => Hint.makePasteable(text))

  it("starts the way the user starts the program", () => {
    assert.strictEqual(shown([], "look at: `florin status`"), "look at: npx florin status")
    assert.strictEqual(
      shown([], "look at: `florin status`", tmpdir()),
      `look at: ${join(repository, "florin")} status`,
    )
  })

  it("keeps its backticks inside a sentence", () => {
    assert.strictEqual(
      shown([], "`florin stuck` lists it, `florin status`, too"),
      "`npx florin stuck` lists it, `npx florin status`, too",
    )
  })

  it("contains this command line's directory, quoted for a shell", () => {
    const directories = [["/tmp/x-1"], ["my shop"], ["it's"], []]
    assert.deepStrictEqual(
      directories.map(([directory]) =>
        shown(
          directory === undefined ? [] : ["status", "--directory", directory],
          ": `florin keys list`",
        ),
      ),
      [
        ": npx florin keys list --directory /tmp/x-1",
        ": npx florin keys list --directory 'my shop'",
        String.raw`: npx florin keys list --directory 'it'\''s'`,
        ": npx florin keys list",
      ],
    )
    assert.strictEqual(
      shown(["status", "--directory=here"], "`florin assets check <file>` and `florin stuck`"),
      "`npx florin assets check <file>` and `npx florin stuck --directory here`",
    )
  })

  it("contains what says which service is meant, for commands of the same side", () => {
    const at = ["--url", "https://ops.example:8081", "--key-file=ops key"]
    const ops = "--url https://ops.example:8081 --key-file 'ops key'"
    const named: ReadonlyArray<readonly [given: string, text: string, shown: string]> = [
      ["unclaimed list", "`florin payouts list`", `\`npx florin payouts list ${ops}\``],
      ["payments create", "`florin pay pay_1`", `\`npx florin pay pay_1 ${ops}\``],
      // A partner's address and key are others than the operator's.
      [
        "explain pay_1",
        "`florin merchants settlements add <id>`",
        "`npx florin merchants settlements add <id>`",
      ],
      ["payments list", "`florin payments settle pay_1`", "`npx florin payments settle pay_1`"],
      ["status", "`florin serve`", "`npx florin serve`"],
    ]
    for (const [given, text, expected] of named) {
      assert.strictEqual(shown([...given.split(" "), ...at], text), expected)
    }
  })

  it("contains the storage, but no password", () => {
    const shownFor = (storage: string) =>
      shown(["stuck", "--storage", storage, "--schema", "shop"], "`florin payouts list`")
    assert.strictEqual(
      shownFor("postgres://db/florin"),
      "`npx florin payouts list --storage postgres://db/florin --schema shop`",
    )
    assert.include(shownFor("postgres://user@db:5432/shop"), "--storage postgres://user@db:5432/")
    for (const secret of ["user:secret@db/shop", "db/shop?user=me&password=secret"]) {
      const text = shownFor(`postgres://${secret}`)
      assert.strictEqual(text, "`npx florin payouts list --schema shop`")
    }
  })

  it("is not changed again", () => {
    const once = shown(["--directory", "here"], "`florin stuck` says more")
    assert.strictEqual(shown(["--directory", "here"], once), once)
  })
})

describe("sentences on a terminal", () => {
  /** What is written to a stream that is a terminal of 40 columns. */
  const written = (stream: typeof process.stderr | typeof process.stdout, work: () => void) => {
    const was = { columns: stream.columns, isTTY: stream.isTTY, write: stream.write }
    let text = ""
    Object.assign(stream, {
      columns: 40,
      isTTY: true,
      hasColors: () => false,
      write: (more: string) => ((text += more), true),
    })
    try {
      within([], repository, work)
    } finally {
      Object.assign(stream, was)
    }
    return text
  }

  it("are wrapped on standard error, too", () => {
    const failure = () => {
      Terminal.writeFailure(
        "the key is rotated already, and only a valid key can be rotated:\n  create another one",
      )
    }
    assert.strictEqual(
      written(process.stderr, failure),
      "\n✗ the key is rotated already, and only a\n  valid key can be rotated:\n  create another one\n",
    )
    const aside = () => {
      Terminal.aside("This is key_1, a test key. It is not shown again.")
    }
    assert.strictEqual(
      written(process.stderr, aside),
      "This is key_1, a test key. It is not\nshown again.\n",
    )
  })

  it("keep a command in one row, so that it can be copied", () => {
    const note = () => {
      Terminal.note("Show its shares and its state with: `florin payouts show out_1`")
    }
    assert.strictEqual(
      written(process.stdout, note),
      "  Show its shares and its state with:\n  npx florin payouts show out_1\n",
    )
  })
})

interface Row {
  readonly name: string
  readonly id: string
}
const columns: ReadonlyArray<Table.Column<Row>> = [
  { name: "name", of: ({ name }) => name, isCut: true },
  { name: "id", of: ({ id }) => id },
]

describe("Table", () => {
  it("is as wide as it needs, and cuts columns on a narrow terminal, but never an id", () => {
    const rows = [
      { name: "a rather long name", id: "pay_1" },
      { name: "b\u001b[2J", id: "pay_22" },
    ]
    assert.deepStrictEqual(Table.lines(columns, rows), [
      "name                id",
      "a rather long name  pay_1",
      "b�[2J               pay_22",
    ])
    assert.deepStrictEqual(Table.lines(columns, rows, 20), [
      "name          id",
      "a rather lo…  pay_1",
      "b�[2J         pay_22",
    ])
    assert.deepStrictEqual(Table.lines(columns, rows, 15), [
      "name",
      "a rather long …",
      "  id: pay_1",
      "b�[2J",
      "  id: pay_22",
    ])
  })

  it("counts the columns of a terminal, of which East Asian letters and emoji take two", () => {
    const rows = [
      { name: "日本語の名前", id: "pay_1" },
      { name: "🍕 Cafe\u0301", id: "pay_2" },
    ]
    assert.deepStrictEqual(Table.lines(columns, rows), [
      "name          id",
      "日本語の名前  pay_1",
      "🍕 Cafe\u0301       pay_2",
    ])
    assert.deepStrictEqual(Table.lines(columns, rows, 15), [
      "name      id",
      "日本語…   pay_1",
      "🍕 Cafe\u0301   pay_2",
    ])
  })

  it("names what is below a row, breaks its words, and has no line for an empty text", () => {
    const told: ReadonlyArray<Table.Column<{ readonly id: string; readonly why: string }>> = [
      { name: "id", of: ({ id }) => id },
      { name: "why", of: ({ why }) => why, isProse: true },
    ]
    const said = [
      { id: "out_1", why: "the float is short" },
      { id: "out_2", why: "-" },
    ]
    assert.deepStrictEqual(Table.lines(told, said, 12), [
      "id",
      "out_1",
      "  why: the",
      "  float is",
      "  short",
      "out_2",
    ])
  })

  it("prints 200,000 rows", () => {
    const rows = Array.from({ length: 200_000 }, () => ({ name: "n", id: "pay_1" }))
    assert.lengthOf(Table.lines(columns, rows), 200_001)
  })
})

describe("a list of payments", () => {
  const item = {
    paymentId: "pay_0VbpPBc1hPFPNRMIpDEN4fcrQezkpU",
    merchant: { id: "mrch_1", name: "Corner Shop" },
    referenceId: "a reference that is longer than the others",
    metadata: {},
    status: "requires_action",
    isTerminal: false,
    createdAt: "2026-11-23T19:56:50.000Z",
    lastUpdatedAt: "2026-11-23T19:56:50.000Z",
    settlement: { settled: false },
    fiatAmount: {
      unit: "iso4217/USD",
      value: "120050",
      display: { assetName: "US dollar", assetSymbol: "USD", decimals: 2 },
    },
  } as const
  const paid = {
    ...item,
    paymentId: "pay_0VbpPAfI3sPbK0xZf4CY2KZ6dzmvcN",
    referenceId: "order-1",
    status: "succeeded",
    tokenAmount: {
      unit: "caip19/x",
      value: "12500000",
      display: { assetName: "USDC", assetSymbol: "USDC", decimals: 6, networkName: "Base" },
    },
  } as const

  it("has a row for each payment, on a terminal of any width", () => {
    assert.deepStrictEqual(Table.lines(Payments.columns, [item, paid], 78), [
      "reference     amount       status           payment",
      "a reference…  1200.50 USD  requires_action  pay_0VbpPBc1hPFPNRMIpDEN4fcrQezkpU",
      "order-1       1200.50 USD  succeeded        pay_0VbpPAfI3sPbK0xZf4CY2KZ6dzmvcN",
    ])
    assert.deepStrictEqual(Table.lines(Payments.columns, [item, paid], 118), [
      "created (UTC)     reference       amount       status           paid                payment",
      "2026-11-23 19:56  a reference t…  1200.50 USD  requires_action                      pay_0VbpPBc1hPFPNRMIpDEN4fcrQezkpU",
      "2026-11-23 19:56  order-1         1200.50 USD  succeeded        12.50 USDC on Base  pay_0VbpPAfI3sPbK0xZf4CY2KZ6dzmvcN",
    ])
  })
})

describe("ProgressBar", () => {
  it("shows the share, at most the whole", () => {
    assert.strictEqual(ProgressBar.text(1, 3), `${"█".repeat(10)}${"░".repeat(20)} 33 % (1 of 3)`)
    assert.include(ProgressBar.text(4, 3), " 100 % ")
    assert.include(ProgressBar.text(0, 0), " 100 % ")
  })

  it("fits on every terminal: shorter, then only the figures", () => {
    for (const room of [60, 30, 19, 18, 5, 0, -1]) {
      const text = ProgressBar.text(1, 3, room)
      assert.isAtMost(text.length, Math.max(0, room))
      assert.strictEqual(text.includes("█"), room >= 19, text)
      assert.strictEqual(text.includes("33 % (1 of 3)"), room >= 13, text)
    }
  })
})
