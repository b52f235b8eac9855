/**
 * `florin init` in a fresh app of each framework, installed from the tarballs with npm: the first test payment, and the
 * way back.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import process, { env } from "node:process"
import * as customers from "../packages/create-florin/test-support/customers.ts"
import * as fresh from "../packages/florin/test-support/fresh.ts"
import { run } from "./command.ts"
import * as installed from "./installed.ts"
import type { Tarball } from "./tarballs.ts"

interface App {
  readonly name: string
  readonly files: fresh.Files
  /** What its generator installs, too. */
  readonly packages?: ReadonlyArray<string>
  /** What a person runs after the installation. The last one keeps running. */
  readonly commands: ReadonlyArray<ReadonlyArray<string>>
}

const apps: ReadonlyArray<App> = [
  { name: "Express", files: fresh.express.files, commands: [["node", "server.js"]] },
  { name: "Fastify", files: fresh.fastify.files, commands: [["node", "index.js"]] },
  {
    name: "Hono",
    files: fresh.hono.files,
    packages: ["@types/node@24.19.2", "typescript@5.9.3"],
    commands: [
      ["npx", "tsc"],
      ["node", "dist/index.js"],
    ],
  },
  {
    name: "Next",
    files: fresh.next,
    commands: [
      ["npx", "next", "build"],
      ["npx", "next", "start"],
    ],
  },
]

export const names = apps.map(({ name }) => name)

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0)
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" && address !== null ? address.port : 0
}

/** Waits until the app responds. */
const responds = async (url: string, child: ChildProcess, printed: () => string): Promise<void> => {
  if (child.exitCode !== null) throw new Error(`the app ended: ${printed()}`)
  const response = await fetch(url).catch(() => undefined)
  if (response !== undefined) return
  await new Promise((resolve) => setTimeout(resolve, 100))
  await responds(url, child, printed)
}

/** Starts the app, pays on its page `/buy`, and stops it. */
const buy = async ([command = "", ...args]: ReadonlyArray<string>, cwd: string) => {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const child = spawn(command, args, {
    cwd,
    env: { ...env, PORT: `${port}`, FLORIN_PUBLIC_URL: `${url}/pay` },
    // A process group of its own: npx does not pass a signal on.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  })
  let printed = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text
    })
  }
  const ended = once(child, "exit")
  try {
    await responds(`${url}/`, child, () => printed)
    await customers.payOn(`${url}/buy`)
    const front = await (await fetch(`${url}/`)).text()
    if (!/hello/iu.test(front)) throw new Error(`the app's own page is gone: ${front}`)
  } catch (cause) {
    throw new Error(`the app printed: ${printed}`, { cause })
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL")
    await ended
  }
}

const git = async (cwd: string, ...args: ReadonlyArray<string>) => {
  const who = ["-c", "user.name=shop", "-c", "user.email=shop@example.com"]
  return (await run("git", [...who, ...args], { cwd })).stdout
}

/** npm keeps what it fetched for the next app. */
const npmInstall = (cwd: string, ...packages: ReadonlyArray<string>) =>
  run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", ...packages], { cwd })

/** Where `npx florin` would find the program. */
const programOf = async (packed: ReadonlyArray<Tarball>, home: string): Promise<string> => {
  const { folder } = await installed.install(join(home, "florin"), packed, { effect: "4.1.0" })
  return join(folder, "node_modules/.bin/florin")
}

/** Makes the app, and takes its first payment. */
export const check = async (
  name: string,
  packed: ReadonlyArray<Tarball>,
  home: string,
): Promise<void> => {
  const app = apps.find((each) => each.name === name)
  if (app === undefined) throw new Error(`no app is called ${name}`)
  const folder = join(home, name.toLowerCase())
  for (const [file, text] of Object.entries(app.files)) {
    // The app is installed with npm.
    if (file === "pnpm-lock.yaml") continue
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  const ignored = ["node_modules", ".next", "dist", "next-env.d.ts", ""]
  writeFileSync(join(folder, ".gitignore"), ignored.join("\n"))
  await npmInstall(folder, ...(app.packages ?? []))
  await git(folder, "init", "--quiet")
  await git(folder, "add", "--all")
  await git(folder, "commit", "--quiet", "--message", "Begin")

  const program = await programOf(packed, home)
  const startedAt = performance.now()
  await run(program, ["init", "--yes"], { cwd: folder })
  const changed = (await git(folder, "diff", "--numstat"))
    .split("\n")
    .reduce((sum, line) => sum + Number(/^\d+/u.exec(line)?.[0] ?? 0), 0)
  await npmInstall(folder, "effect@4.1.0", ...packed.map(({ file }) => file))
  for (const [command = "", ...args] of app.commands.slice(0, -1)) {
    await run(command, args, { cwd: folder })
  }
  await buy(app.commands.at(-1) ?? [], folder)
  const seconds = Math.round((performance.now() - startedAt) / 1000)

  await git(folder, "checkout", ".")
  await git(folder, "clean", "-d", "--force", "--quiet")
  const left = await git(folder, "status", "--porcelain")
  if (left !== "") throw new Error(`git checkout leaves ${left}`)
  console.log(
    `✓ florin init in ${name}: paid after ${seconds} s, ${changed} lines of the app changed`,
  )
}
