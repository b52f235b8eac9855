/**
 * Preloaded with `node --import`: writes down at the end which packages the process loaded, how many modules, which parts
 * of Node, and which formatters of a language it made.
 *
 * @module
 */
import { writeFileSync } from "node:fs"
import { registerHooks } from "node:module"
import process, { env } from "node:process"

const [packages, modules] = [new Set<string>(), new Set<string>()]

/** The innermost package of a file; ours are called by their folder, and what compiles decoders by its own name. */
const packageOf = (url: string): string | undefined =>
  /\/effect\/dist\/schema\/(SchemaJITCompiler)\//u.exec(url)?.[1] ??
  /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//u.exec(url)?.[1] ??
  /\/packages\/([a-z]+)\//u.exec(url)?.[1]

registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context)
    const name = packageOf(found.url)
    if (name !== undefined) packages.add(name)
    modules.add(found.url)
    return found
  },
})

const formatters = new Set<string>()

const watch = (owner: object, name: string): void => {
  const made: (...args: ReadonlyArray<unknown>) => unknown = Reflect.get(owner, name)
  const watched = new Proxy(made, {
    apply: (target, self, args) => {
      formatters.add(name)
      return Reflect.apply(target, self, args)
    },
    construct: (target, args) => {
      formatters.add(name)
      return Reflect.construct(target, args)
    },
  })
  Reflect.set(owner, name, watched)
}
for (const name of ["DateTimeFormat", "DisplayNames", "ListFormat", "NumberFormat"])
  watch(Intl, name)
watch(Number.prototype, "toLocaleString")

process.once("exit", () => {
  const file = env["TEST_LOADED"] ?? ""
  writeFileSync(file, [...packages].toSorted().join("\n"))
  writeFileSync(`${file}.modules`, String(modules.size))
  const parts: ReadonlyArray<string> = Reflect.get(process, "moduleLoadList")
  writeFileSync(`${file}.node`, parts.join("\n"))
  writeFileSync(`${file}.formatters`, [...formatters].join("\n"))
})
