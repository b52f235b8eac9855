/**
 * Findings, each with its sentence and what helps: a button that runs it, a link to where it is decided, or a command.
 * Many of one kind are folded into one.
 *
 * @module
 */
import type * as Status from "@florin/api/wire/Status"
import { type Act, ActButton } from "../shell/Act.tsx"
import { named } from "../shell/Messages.ts"
import { fill } from "../shell/Path.ts"
import { ButtonLink, ModePill } from "../shell/Pieces.tsx"
import * as Operations from "./Operations.ts"
import { Command, Words } from "./Parts.tsx"
import * as Texts from "./Texts.ts"

interface Request {
  readonly [member: string]: string
}

/** Every remedy so far is described by texts. What is not is left to its command. */
const requestOf = ({ request }: Status.Remedy): Request =>
  Object.fromEntries(
    Object.entries(request).flatMap(([member, value]) =>
      typeof value === "string" ? [[member, value]] : [],
    ),
  )

/** The act of an operation on this amount, if it is about one. Members that are in the path are not sent again. */
export const deed = (operation: Operations.Operation, request: Request, amount?: string): Act => {
  const [scope, pattern] = Operations.deeds[operation]
  const { path, rest } = fill(pattern, request)
  const { action, body, said, title } = Texts.texts.deeds[operation]
  const about = Object.values(request).join(", ")
  return {
    scope,
    title,
    action,
    said,
    path,
    request: rest,
    body: [
      body,
      amount === undefined ? "" : <p class="big">{amount}</p>,
      about === "" ? "" : <code>{about}</code>,
    ],
  }
}

/** One remedy. */
export const help = (remedy: Status.Remedy, isFirst: boolean, amount?: string) => {
  const { command, operation } = remedy
  const request = requestOf(remedy)
  if (Operations.isIn(Operations.deeds, operation)) {
    const look = isFirst ? "main" : "quiet"
    return <ActButton key={command} act={deed(operation, request, amount)} look={look} />
  }
  if (!Operations.isIn(Operations.places, operation)) {
    return <Command key={command} command={command} />
  }
  const pattern = Operations.places[operation]
  const { path } = fill(pattern, request)
  return <ButtonLink key={command} to={path} name={Texts.texts.places[pattern]} />
}

const { now: texts } = Texts.texts

type Finding = Status.Finding

const urgency = { page: "urgent", ticket: "soon", note: "later" } as const

/** How many of one kind are shown before the rest is folded. */
const shownMax = 2

/** Whose money it is about, if it says that. */
const modeOf = ({ details }: Finding): string | null =>
  typeof details["mode"] === "string" ? details["mode"] : null

/** The same kind with the same remedies is one thing to do. */
const groupOf = ({ finding, remedies }: Finding): string =>
  [finding, ...remedies.map(({ command }) => command)].join("\n")

const line = (finding: Finding) => (
  <p key={finding.key} class="finding">
    <Words text={finding.message} /> <ModePill mode={modeOf(finding)} />
  </p>
)

export const findingList = (findings: ReadonlyArray<Finding>) => (
  <ul class="findings">
    {[...Map.groupBy(findings, groupOf)].map(([group, [first, ...others]]) => {
      if (first === undefined) return null
      const { remedies } = first
      const folded = others.slice(shownMax - 1)
      return (
        <li key={group} class={`card ${urgency[first.severity]}`}>
          {first.finding in texts.kinds && (
            <p>
              <strong>{named(texts.kinds, first.finding)}</strong>
            </p>
          )}
          {[first, ...others].slice(0, shownMax).map(line)}
          {folded.length > 0 && (
            <details>
              <summary>{texts.more(folded.length)}</summary>
              {folded.map(line)}
            </details>
          )}
          {remedies.length > 0 && (
            <div class="actions" role="group" aria-label={texts.helps}>
              {remedies.map((remedy, index) => help(remedy, index === remedies.length - 1))}
            </div>
          )}
        </li>
      )
    })}
  </ul>
)

/** What was read of the service, and whether there is a finding about it. */
export const partPills = (
  parts: Iterable<string>,
  { fine, skipped }: Pick<Status.Status, "fine" | "skipped">,
) => (
  <ul class="filters">
    {Array.from(parts, (part) => {
      const is = fine.includes(part) ? "fine" : skipped.includes(part) ? "skipped" : "found"
      const look = { fine: "good", skipped: "", found: "caution" }[is]
      return (
        <li key={part} class={`pill ${look}`}>
          {texts[is](named(texts.part, part))}
        </li>
      )
    })}
  </ul>
)
