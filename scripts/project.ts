/**
 * A project that create-florin creates from the tarballs, with the commands that it prints.
 *
 * @module
 */
import { join } from "node:path"
import { env } from "node:process"
import * as customers from "../packages/create-florin/test-support/customers.ts"
import { run } from "./command.ts"
import * as tarballs from "./tarballs.ts"

/** npm uses the packages in its cache on this machine. */
const quick = { npm_config_audit: "false", npm_config_prefer_offline: "true" }

/** Creates a project and installs it; resolves with its folder. */
export const create = async (
  template: string,
  packed: ReadonlyArray<tarballs.Tarball>,
  home: string,
): Promise<string> => {
  const creator = packed.find(({ manifest }) => manifest.name === "create-florin")
  if (creator === undefined) throw new Error("create-florin is not among the tarballs")
  // Next to the tarballs, where `npm run pack` puts it.
  const program = creator.file.replace(/-[^-]+$/u, "")
  await tarballs.unpack(creator, program)
  const { stdout } = await run("node", [program, "my project", "--template", template], {
    cwd: home,
  })
  const [, first = "", second] = /^ {2}(.+)\n {2}(npm start)$/mu.exec(stdout) ?? []
  if (second === undefined) throw new Error(`two commands are missing in: ${stdout}`)
  await run("sh", ["-c", first], { cwd: home, env: quick })
  return join(home, "my project")
}

/** Starts the shop, buys in it, and stops it. */
export const tryShop = async (folder: string, path = env["PATH"] ?? ""): Promise<void> => {
  const shop = await customers.start(["npm", "start"], { cwd: folder, path })
  const status = await customers.buy(shop.url)
  await shop.end()
  if (status !== "shipped") throw new Error(`the order was ${status}: ${shop.printed}`)
}
