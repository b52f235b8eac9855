/**
 * Everything that each published file imports, directly or not, as a bundler sees it. Lint checks single import lines;
 * this follows them.
 *
 * @module
 */
import { globSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { build, type BuildOptions } from "esbuild"

const options = {
  absWorkingDir: process.cwd(),
  bundle: true,
  format: "esm",
  logLevel: "silent",
  metafile: true,
  outdir: "unwritten",
  packages: "external",
  platform: "neutral",
  // What several files need is written once, not once for each.
  splitting: true,
  write: false,
} as const satisfies BuildOptions

interface Drawn {
  /** Folders of our own files, such as `core/domain`. */
  readonly folders: ReadonlyArray<string>
  readonly packages: ReadonlyArray<string>
}

/** What a file may draw in beyond the rule of a folder. */
const exceptions = new Map([
  [
    "packages/evm/src/node/Post.ts",
    ["@florin/core/node/Http", "node:buffer", "node:https", "node:zlib"],
  ],
  ["packages/pages/src/Site.ts", ["node:fs", "node:path"]],
  ["packages/testing/src/Counts.ts", ["node:process"]],
])

const folderOf = (file: string) =>
  dirname(file).replace(/^.*packages\/(\w+)\/src/u, (_, name: string) => name)

/** Of files, everything that is imported from them. One bundler reads each file once for all. */
const graphOf = async (input: BuildOptions) => {
  const { metafile } = await build({ ...options, ...input, metafile: true })
  const { inputs } = metafile
  const reached = (file: string, met = new Set<string>()): ReadonlySet<string> => {
    if (met.has(file)) return met
    met.add(file)
    for (const { external, path } of inputs[file]?.imports ?? [])
      if (external !== true) reached(path, met)
    return met
  }
  return (file: string): Drawn => {
    const files = [...reached(file)]
    return {
      folders: files.map(folderOf),
      packages: files.flatMap((each) =>
        (inputs[each]?.imports ?? assert.fail(`${each} was not read`)).flatMap(
          ({ external, path }) =>
            // A relative import that is called external was dropped: only its types were used.
            external === true && !path.startsWith(".") && !exceptions.get(each)?.includes(path)
              ? [path]
              : [],
        ),
      ),
    }
  }
}

/** The folders of the domain, each of which knows those before it. No other knows a family of chains. */
const domain = [
  "ground",
  "chain",
  "eip155",
  "money",
  "partner",
  "outflow",
  "payment",
  "books",
  "list",
  "notify",
]

const pure = /^(?:effect\/(?!unstable\/|testing\/).+|@noble\/.+)$/u
const rules = [
  ...domain.map((name, index) => ({
    folder: `core/domain/${name}`,
    folders: domain
      .slice(0, index + 1)
      .filter((earlier) => earlier !== "eip155" || name === "eip155")
      .map((earlier) => `core/domain/${earlier}`),
    packages: pure,
  })),
  { folder: "core/ports", folders: ["core/domain", "core/ports"], packages: pure },
  { folder: "core/engine", folders: ["core/domain", "core/ports", "core/engine"], packages: pure },
  {
    folder: "core/workers",
    folders: ["core/domain", "core/ports", "core/engine", "core/workers"],
    packages: pure,
  },
  {
    folder: "core/node",
    folders: ["core/domain", "core/ports", "core/node"],
    packages: /^(?:effect\/(?!unstable\/|testing\/).+|@noble\/.+|node:.+)$/u,
  },
  {
    folder: "client",
    folders: ["client"],
    packages:
      /^(?:effect\/(?!unstable\/|testing\/).+|@florin\/api\/.+|@florin\/core\/domain\/.+)$/u,
  },
  {
    folder: "api",
    folders: ["api"],
    packages: /^(?:effect\/(?!unstable\/|testing\/).+|@florin\/core\/domain\/.+)$/u,
  },
  {
    folder: "server",
    folders: ["server"],
    packages:
      /^(?:effect\/(?!unstable\/|testing\/).+|@florin\/core\/.+|@florin\/api\/.+|unhomoglyph|node:.+)$/u,
  },
  {
    folder: "postgres",
    folders: ["postgres"],
    packages:
      /^(?:effect\/(?!unstable\/|testing\/).+|@florin\/core\/(?:domain|ports)\/.+|@florin\/core\/node\/PrivateSocket|@effect\/sql-pg\/.+|@electric-sql\/pglite|@florin\/postgres\/Pglite|@noble\/.+|node:.+)$/u,
  },
  {
    folder: "evm",
    folders: ["evm"],
    packages:
      /^(?:effect\/(?!unstable\/|testing\/).+|@florin\/core\/(?:domain|ports)\/.+|@noble\/.+|viem(?:\/utils)?|@florin\/evm\/Recovery|secp256k1\/bindings\.js|tiny-secp256k1)$/u,
  },
  {
    folder: "signers",
    folders: ["signers"],
    packages:
      /^(?:effect\/(?!unstable\/|testing\/).+|@florin\/core\/(?:domain|ports)\/.+|@florin\/core\/node\/Http|@florin\/evm\/Signer|@noble\/.+|viem\/(?:accounts|utils)|node:.+|@effect\/vitest)$/u,
  },
  {
    folder: "localnet",
    folders: ["localnet"],
    packages:
      /^(?:effect\/(?!unstable\/|testing\/).+|@florin\/core\/domain\/.+|viem\/utils|node:.+)$/u,
  },
  { folder: "embed", folders: ["embed"], packages: /^react$/u },
  {
    folder: "pages",
    folders: ["pages"],
    packages:
      /^(?:preact(?:\/.+)?|uqr|@florin\/client(?:\/EventStream)?|@florin\/core\/domain\/partner\/BrandColor|@florin\/embed\/Protocol|@florin\/api\/wire\/.+)$/u,
  },
  {
    folder: "console",
    folders: ["console"],
    packages:
      /^(?:preact(?:\/.+)?|@florin\/client(?:\/(?:Connection|EventStream))?|@florin\/pages\/(?:Amounts|Brand|Messages|Page|QrCode|Site|Translation|TypedAmount)|@florin\/api\/(?:wire|operator)\/.+)$/u,
  },
  {
    folder: "walletconnect",
    folders: ["walletconnect"],
    packages:
      /^(?:@walletconnect\/sign-client|@florin\/pages\/(?:Page|Site|WalletConnectPort)|@florin\/api\/wire\/.+)$/u,
  },
  {
    folder: "pages/collect",
    folders: ["pages/collect", "pages/messages", "pages/shared"],
    packages: /^(?:preact(?:\/.+)?|@florin\/api\/wire\/.+)$/u,
  },
  {
    folder: "testing",
    folders: ["testing"],
    packages: /^(?:effect\/(?!unstable\/).+|@noble\/.+|@florin\/core\/.+|@effect\/vitest|vitest)$/u,
  },
] as const

const offences = (rule: (typeof rules)[number], drawn: Drawn): ReadonlyArray<string> => [
  ...drawn.folders.filter(
    (folder) => !rule.folders.some((allowed) => `${folder}/`.startsWith(`${allowed}/`)),
  ),
  ...drawn.packages.filter((name) => !rule.packages.test(name)),
]

const filesOf = (folder: string) => {
  const [name, ...layer] = folder.split("/")
  return globSync(join("packages", name ?? "", "src", ...layer, "**/*.{ts,tsx}"))
}

describe("boundaries", () => {
  const files = new Set(rules.flatMap(({ folder }) => filesOf(folder)))
  const graph = graphOf({ entryPoints: [...files] })

  for (const rule of rules) {
    it(`${rule.folder} imports only ${rule.folders.join(", ")} and its allowed modules`, async () => {
      const drawnBy = await graph
      const found = filesOf(rule.folder).flatMap((file) => {
        const wrong = offences(rule, drawnBy(file))
        return wrong.length === 0 ? [] : [`${file} draws in ${wrong.join(", ")}`]
      })
      assert.deepStrictEqual(found, [])
    })
  }

  it("the pure layers run anywhere: bundled, they need nothing of Node", async () => {
    const entryPoints = filesOf("core/domain").concat(filesOf("core/ports"))
    const { metafile } = await build({
      ...options,
      entryPoints,
      packages: "bundle",
      platform: "browser",
    })
    assert.isAbove(Object.keys(metafile.inputs).length, entryPoints.length)
  })

  it("the domain has no file outside its folders", () => {
    const folders = filesOf("core/domain").map((file) => basename(dirname(file)))
    assert.sameMembers([...new Set(folders)], domain)
  })

  it("the domain names a family of chains only in that family's folder", () => {
    const others = filesOf("core/domain").filter((file) => !file.includes("/domain/eip155/"))
    assert.isNotEmpty(others)
    assert.deepStrictEqual(
      others.filter((file) => readFileSync(file, "utf8").includes("eip155")),
      [],
    )
  })

  it("detects an import that leaves the layer, a host's module and a barrel", async () => {
    const [port] = filesOf("core/ports")
    const contents = `export * from "../chain/Caip.ts"
      export * from "../../ports/${basename(port ?? "")}"
      export * from "node:fs"
      export * from "effect"`
    const drawnBy = await graphOf({
      stdin: { contents, resolveDir: "packages/core/src/domain/ground", loader: "ts" },
    })
    const found = offences(rules[0], drawnBy("<stdin>"))
    assert.includeMembers([...found], ["core/domain/chain", "core/ports", "node:fs", "effect"])
  })
})
