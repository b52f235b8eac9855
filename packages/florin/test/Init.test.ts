/**
 * `florin init` in fresh projects of each framework: what it writes runs, and takes a payment.
 *
 * @module
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { env, execPath, stdout } from "node:process"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { pay } from "@florin/client"
import * as Wallet from "@florin/testing/Wallet"
import { build } from "esbuild"
import * as Plan from "../src/init/Plan.ts"
import * as Project from "../src/init/Project.ts"
import * as Template from "../src/init/Template.ts"
import { express, fastify, type Files, hono, next } from "../test-support/fresh.ts"

const main = resolve("packages/florin/src/main.ts")
const payer = Wallet.make(1)

const florinPackages = {
  "@florin/client": "packages/client",
  "@florin/pages": "packages/pages",
  "@florin/server": "packages/server",
  "@florin/testing": "packages/testing",
  "@types/node": "node_modules/@types/node",
  effect: "node_modules/effect",
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0)
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" && address !== null ? address.port : assert.fail()
}

/** Resolves with the text at an address, once something answers there. */
const textAt = async (url: string, server: ChildProcess): Promise<string> => {
  if (server.exitCode !== null) return assert.fail(`the app ended with ${server.exitCode}`)
  const answer = await fetch(url).catch(() => undefined)
  if (answer !== undefined) return answer.text()
  await new Promise((again) => setTimeout(again, 100))
  return textAt(url, server)
}

const found = (pattern: RegExp, text: string): string =>
  pattern.exec(text)?.[1] ?? assert.fail(`no ${pattern.source} in: ${text}`)

describe("florin init", () => {
  let folder = ""
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "florin-init-"))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const write = (files: Files): void => {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), text)
    }
  }
  const install = (packages: Files): void => {
    for (const [name, place] of Object.entries(packages)) {
      const link = join(folder, "node_modules", name)
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(resolve(place), link)
    }
  }
  const plan = () => Plan.make(Project.find(folder) ?? assert.fail("no project"), Template.read())
  const init = (...flags: ReadonlyArray<string>) => {
    try {
      return execFileSync(execPath, [main, "init", ...flags], {
        cwd: folder,
        encoding: "utf8",
        stdio: "pipe",
      })
    } catch (error) {
      return `${Object(error).stdout}${Object(error).stderr}`
    }
  }

  for (const fresh of [express, fastify, hono]) {
    it(`takes the first test payment in a fresh ${fresh.name} app, and changes nothing the second time`, async () => {
      write(fresh.files)
      install({ ...florinPackages, ...fresh.installed })
      const own = plan().changes.filter(({ before }) => before !== "")
      const printed = init("--yes")
      assert.include(printed, "Written.")
      assert.include(init("--yes"), "nothing to do")

      await build({
        absWorkingDir: folder,
        entryPoints: [...(fresh.sources ?? [])],
        format: "esm",
        outdir: "dist",
      })
      const port = await freePort()
      const url = `http://localhost:${port}`
      const server = spawn(execPath, [fresh.entry], {
        cwd: folder,
        env: { ...env, PORT: `${port}` },
        stdio: ["ignore", "ignore", "inherit"],
      })
      try {
        const page = await textAt(`${url}/buy`, server)
        const link = found(/<florin-checkout payment="([^"]+)"/u, page)
        const checkout = await textAt(link, server)
        const data = found(/<meta name="florin-page" content="([^"]*)"/u, checkout)
        const { pageToken, paymentId } = JSON.parse(data.replaceAll("&quot;", '"'))
        const paid = await pay(paymentId, {
          baseUrl: `${url}/pages`,
          apiKey: { pageToken },
          payLinkHost: new URL(link).host,
          accounts: [`eip155:8453:${payer.address}`],
          signer: payer,
        })
        assert.strictEqual(paid._tag, "Succeeded")
        assert.match(await textAt(`${url}/`, server), /hello/iu)
      } finally {
        server.kill("SIGKILL")
      }
      const lines = own.flatMap(({ insertions }) => insertions.flatMap((each) => each.lines))
      stdout.write(`${fresh.name}: ${lines.length} lines of the app's own code changed\n`)
      assert.isAtMost(lines.length, 12)
    })
  }

  it("shows the lines before it writes them, and writes only after a yes", () => {
    write(express.files)
    const printed = init()
    assert.include(printed, "new file florin.js")
    assert.include(printed, `+ import { florinRoutes } from "@florin/server/express"`)
    assert.include(printed, "+ app.use(florinRoutes(florin))")
    assert.include(printed, "nothing was changed: add --yes to write without asking")
    assert.strictEqual(readFileSync(join(folder, "server.js"), "utf8"), express.files["server.js"])
  })

  it("prints JSON with --json and asks nothing, so that a program can read it", () => {
    write(express.files)
    const printed = init("--json")
    const [json = "", ...said] = printed.split("\n\n")
    assert.deepStrictEqual(JSON.parse(json).changes, ["florin.js", "server.js", ".env"])
    assert.deepStrictEqual(said, ["✗ nothing was changed: add --yes to write without asking\n"])
    assert.strictEqual(readFileSync(join(folder, "server.js"), "utf8"), express.files["server.js"])
  })

  const refusals: ReadonlyArray<readonly [string, Files, RegExp]> = [
    ["no framework", { "package.json": "{}" }, /names none of next, hono, fastify and express/u],
    [
      "CommonJS",
      { ...express.files, "package.json": `{ "dependencies": { "express": "5" } }` },
      /no "type": "module"/u,
    ],
    [
      "an app that a function makes",
      {
        ...express.files,
        "server.js": "import express from 'express'\n\nexport const make = () => express()\n",
      },
      /No file was found that makes the express app .* such as server\.js\. Add there by hand: import \{ florinRoutes \}.*docs\/put-it-into-your-app\.md/u,
    ],
    [
      "two apps",
      {
        ...express.files,
        "server.js": "import express from 'express'\n\nconst a = express()\nconst b = express()\n",
      },
      /No file was found/u,
    ],
    [
      "a file of its own called florin.js",
      { ...express.files, "florin.js": "export const coin = 2\n" },
      /florin\.js exists, and is not Florin's/u,
    ],
  ]
  for (const [what, files, says] of refusals) {
    it(`changes nothing, and says what to do, with ${what}`, () => {
      write(files)
      const { byHand, changes } = plan()
      assert.isEmpty(changes)
      assert.match(byHand.join(" "), says)
    })
  }

  it("adds two routes to a Next app, and two options to its configuration", () => {
    write(next)
    const { changes } = plan()
    assert.deepStrictEqual(
      changes.map(({ file }) => file),
      ["florin.ts", "app/pay/[[...path]]/route.ts", "app/buy/route.ts", "next.config.ts", ".env"],
    )
    const printed = init("--yes")
    assert.include(printed, "Written.")
    // The packages of this repository are on no registry.
    assert.match(
      printed,
      /npm --prefix \/\S+ run pack\n +npm install \/\S+\/dist\/packs\/\*\.tgz\n/u,
    )
    assert.include(init("--yes"), "nothing to do")
    const written = readFileSync(join(folder, "next.config.ts"), "utf8")
    assert.include(written, `= {\n  rewrites: async () => florinRewrites("/pay"),\n`)
    rmSync(join(folder, "app/pay"), { recursive: true })
    rmSync(join(folder, "app/buy"), { recursive: true })
    rmSync(join(folder, "florin.ts"))
    assert.match(plan().byHand.join(" "), /has rewrites, serverExternalPackages or a basePath/u)
  })

  it("appends to the environment file, and follows the project's semicolons", () => {
    write({
      ...express.files,
      ".env": "A=1",
      "server.js": "import express from 'express';\n\nconst app = express();\n",
    })
    const texts = new Map(plan().changes.map((change) => [change.file, Plan.apply(change)]))
    assert.strictEqual(texts.get(".env"), "A=1\nFLORIN_PUBLIC_URL=http://localhost:3000/pay\n")
    assert.include(texts.get("server.js"), "app.use(florinRoutes(florin));\n")
  })
})

describe("florin info", () => {
  it("prints versions and the parts of a project, and no secret", () => {
    const folder = mkdtempSync(join(tmpdir(), "florin-info-"))
    for (const [file, text] of Object.entries(hono.files)) {
      if (!file.includes("/")) writeFileSync(join(folder, file), text)
    }
    const printed = execFileSync(execPath, [main, "info", "--json"], {
      cwd: folder,
      encoding: "utf8",
      env: { ...env, DATABASE_URL: "postgres://user:secret@db/shop" },
    })
    rmSync(folder, { recursive: true })
    assert.deepInclude(JSON.parse(printed), {
      manager: "pnpm",
      framework: "hono",
      database: "pg",
      language: "TypeScript",
    })
    assert.notInclude(printed, "secret")
  })

  it("names no language where there is no project", () => {
    const folder = mkdtempSync(join(tmpdir(), "florin-info-"))
    const printed = execFileSync(execPath, [main, "info", "--json"], {
      cwd: folder,
      encoding: "utf8",
    })
    rmSync(folder, { recursive: true })
    assert.deepInclude(JSON.parse(printed), { framework: "not found", language: "not found" })
  })
})
