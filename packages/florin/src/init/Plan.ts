/**
 * What `florin init` writes into a project. It only creates files and inserts lines, and only where it recognizes what
 * is there.
 *
 * @module
 */
import * as Project from "./Project.ts"

interface Insertion {
  /** The offset in the file's text: the start of a line. */
  readonly at: number
  readonly lines: ReadonlyArray<string>
}

export interface Change {
  readonly file: string
  /** Empty if the file is new. */
  readonly before: string
  readonly insertions: ReadonlyArray<Insertion>
}

export interface Plan {
  readonly changes: ReadonlyArray<Change>
  /** What a person must do, because the project has a shape that this program does not know. */
  readonly byHand: ReadonlyArray<string>
}

/** The text of a file after a change. */
export const apply = ({ before, insertions }: Change): string =>
  [...insertions]
    .toSorted((left, right) => right.at - left.at)
    .reduce(
      (text, { at, lines }) =>
        `${text.slice(0, at)}${lines.map((line) => `${line}\n`).join("")}${text.slice(at)}`,
      before,
    )

const created = (file: string, text: string): Change => ({
  file,
  before: "",
  insertions: [{ at: 0, lines: text.replace(/\n$/u, "").split("\n") }],
})

interface Adapter {
  /** How the app is made. Its name is the first group, and the text ends before the first argument. */
  readonly made: RegExp
  readonly lines: (app: string) => ReadonlyArray<string>
}

/** How each framework takes Florin's routes and a page with the checkout. */
const adapters: { readonly [F in Exclude<Project.Framework, "next">]: Adapter } = {
  express: {
    made: /^(?:const|let|var) (\w+)(?:: ?[\w.]+)? = express\(/gmu,
    lines: (app) => [
      `${app}.use(florinRoutes(florin))`,
      `${app}.get("/buy", async (_request, response) => void response.send(await buyPage()))`,
    ],
  },
  fastify: {
    made: /^(?:const|let|var) (\w+)(?:: ?\w+)? = [Ff]astify\(/gmu,
    lines: (app) => [
      `${app}.register(florinRoutes(florin))`,
      `${app}.get("/buy", async (_request, reply) => reply.type("text/html").send(await buyPage()))`,
    ],
  },
  hono: {
    made: /^(?:const|let|var) (\w+)(?:: ?[\w<>{}: ]+)? = new Hono(?:<[^>]*>)?\(/gmu,
    lines: (app) => [
      `${app}.use(florinRoutes(florin))`,
      `${app}.get("/buy", async (context) => context.html(await buyPage()))`,
    ],
  },
}

/** The start of the line after a statement whose parenthesis is open at an offset; undefined if it does not end. */
const afterStatement = (text: string, openAt: number): number | undefined => {
  let depth = 0
  for (let at = openAt; at < text.length; at++) {
    // A parenthesis in a text or comment could be taken for one of the code.
    if (/["'`/]/u.test(text.charAt(at))) return undefined
    if (text[at] === "(") depth++
    if (text[at] === ")") depth--
    if (depth === 0) {
      const [rest = ""] = /^[^\n]*\n?/u.exec(text.slice(at + 1)) ?? []
      return /^;?\s*$/u.test(rest) ? at + 1 + rest.length : undefined
    }
  }
  return undefined
}

/** The start of the line after the last import. */
const afterImports = (text: string): number | undefined => {
  const [last] = [
    ...text.matchAll(/^import\s(?:[^"';]*?\sfrom\s)?["'][^"'\n]+["'];?[^\S\n]*\n/gmu),
  ].slice(-1)
  return last && last.index + last[0].length
}

const inserted = (
  { file, text }: Project.Source,
  framework: keyof typeof adapters,
  florinFile: string,
): Change | undefined => {
  const { lines, made } = adapters[framework]
  const [found, ...more] = [...text.matchAll(made)]
  const importsEnd = afterImports(text)
  if (found === undefined || more.length > 0 || importsEnd === undefined) return undefined
  const madeEnd = afterStatement(text, found.index + found[0].length - 1)
  if (madeEnd === undefined || madeEnd < importsEnd) return undefined
  const end = /;\s*\n/u.test(text.slice(0, importsEnd)) ? ";" : ""
  return {
    file,
    before: text,
    insertions: [
      {
        at: importsEnd,
        lines: [
          `import { florinRoutes } from "@florin/server/${framework}"${end}`,
          `import { buyPage, florin } from "${florinFile}"${end}`,
        ],
      },
      {
        at: madeEnd,
        lines: [
          "",
          "// The API is below /pay, the checkout where payment links lead, and a page to try it at /buy.",
          ...[...lines(found[1] ?? "app"), "void florin.workers.start()"].map(
            (line) => `${line}${end}`,
          ),
        ],
      },
    ],
  }
}

const envLine = "FLORIN_PUBLIC_URL=http://localhost:3000/pay"

const environment = (folder: string): ReadonlyArray<Change> => {
  const before = Project.read(folder, ".env")?.text ?? ""
  if (/^FLORIN_PUBLIC_URL=/mu.test(before)) return []
  // The last line of a file may have no end.
  const lines = before === "" || before.endsWith("\n") ? [envLine] : ["", envLine]
  return [{ file: ".env", before, insertions: [{ at: before.length, lines }] }]
}

const changing = (folder: string, ...changes: ReadonlyArray<Change>): Plan => ({
  changes: [...changes, ...environment(folder)],
  byHand: [],
})

/** The plan for a project that has Florin already. */
const nothingToDo: Plan = { changes: [], byHand: [] }

const onlyByHand = (...byHand: ReadonlyArray<string>): Plan => ({ changes: [], byHand })

const nextConfigs = ["next.config.ts", "next.config.mjs", "next.config.js"]

/** What the configuration of Next needs. Next must not bundle packages that read files next to themselves. */
const nextOptions = [
  '  rewrites: async () => florinRewrites("/pay"),',
  '  serverExternalPackages: ["@florin/client", "@florin/pages", "@florin/server", "@florin/testing"],',
]

const nextRoute = (florinFile: string) => `import { florinRoutes } from "@florin/server/next"
import { florin } from "${florinFile}"

export const dynamic = "force-dynamic"

void florin.workers.start()

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = florinRoutes(florin)
`

const nextPage = (florinFile: string) => `import { buyPage } from "${florinFile}"

export const dynamic = "force-dynamic"

export const GET = async () =>
  new Response(await buyPage(), { headers: { "Content-Type": "text/html; charset=utf-8" } })
`

/** New files only, but for the configuration, which is recognized as `create-next-app` writes it. */
const ofNext = ({ folder, isTypeScript }: Project.Project, template: string): Plan => {
  const end = isTypeScript ? "ts" : "js"
  const base = ["", "src/"].find((each) => Project.has(folder, `${each}app`))
  if (base === undefined) {
    return onlyByHand("There is no folder app or src/app: Florin needs the app router of Next.")
  }
  const route = `${base}app/pay/[[...path]]/route.${end}`
  if (Project.has(folder, route)) return nothingToDo
  const taken = [`${base}florin.${end}`, `${base}app/buy`].find((file) => Project.has(folder, file))
  if (taken !== undefined) {
    return onlyByHand(`${taken} exists already. Rename it, and run the command again.`)
  }
  const [config] = nextConfigs.flatMap((file) => Project.read(folder, file) ?? [])
  const opened = /^const nextConfig(?:: NextConfig)? = \{[^\S\n]*\n/mu.exec(config?.text ?? "")
  const isKnown = !/\b(?:rewrites|serverExternalPackages|basePath)\b/u.test(config?.text ?? "")
  if (config === undefined || opened === null || !isKnown) {
    return onlyByHand(
      `${config?.file ?? "next.config.ts"} does not begin its options with \`const nextConfig = {\`, or has rewrites, serverExternalPackages or a basePath of its own. Follow the part for Next of docs/put-it-into-your-app.md.`,
    )
  }
  return changing(
    folder,
    created(`${base}florin.${end}`, template),
    created(route, nextRoute("../../../florin")),
    created(`${base}app/buy/route.${end}`, nextPage("../../florin")),
    {
      file: config.file,
      before: config.text,
      insertions: [
        { at: 0, lines: ['import { florinRewrites } from "@florin/server/next"'] },
        { at: opened.index + opened[0].length, lines: nextOptions },
      ],
    },
  )
}

/** Decides what to write. The template is the source of `florin.ts`. */
export const make = (project: Project.Project, template: string): Plan => {
  const { folder, framework, importsTs, isModule, isTypeScript, sources } = project
  if (framework === null) {
    return onlyByHand(
      "package.json names none of next, hono, fastify and express. Add the framework first, or see docs/put-it-into-your-app.md for another server.",
    )
  }
  if (framework === "next") return ofNext(project, template)
  if (!isModule) {
    return onlyByHand(
      'package.json has no "type": "module", and Florin\'s packages are ES modules. Set it, change `require` to `import`, and run the command again.',
    )
  }
  if (sources.some(({ text }) => text.includes("florinRoutes("))) return nothingToDo
  const [found] = sources.flatMap((source) => {
    const at = source.file.includes("/") ? source.file.replace(/[^/]+$/u, "") : ""
    const target = `${at}florin.${isTypeScript ? "ts" : "js"}`
    const end = isTypeScript && importsTs ? "ts" : "js"
    const change = inserted(source, framework, `./florin.${end}`)
    return change === undefined ? [] : [{ change, target }]
  })
  if (found === undefined) {
    return onlyByHand(
      `No file was found that makes the ${framework} app in one statement after its imports, such as ${sources.map(({ file }) => file).join(", ") || "src/index.ts"}. Add there by hand: import { florinRoutes } from "@florin/server/${framework}", and then ${adapters[framework].lines("app")[0]}. Part 2 of docs/put-it-into-your-app.md has the file florin.ts that this needs.`,
    )
  }
  const { change, target } = found
  const present = Project.read(folder, target)
  if (present !== undefined && !present.text.includes("createFlorin(")) {
    return onlyByHand(
      `${target} exists, and is not Florin's. Rename it, and run the command again.`,
    )
  }
  const files = present === undefined ? [created(target, template)] : []
  return changing(folder, ...files, change)
}

/** A change as a person reads it: each insertion after the line before it. */
export const print = ({ before, file, insertions }: Change): ReadonlyArray<string> => [
  before === "" ? `new file ${file}` : `change ${file}`,
  ...insertions.flatMap(({ at, lines }) => {
    const previous = before.slice(0, at).split("\n").at(-2)
    return [
      ...(previous === undefined ? [] : [`  ${previous}`]),
      ...lines.map((line) => `+ ${line}`),
    ]
  }),
]
