/**
 * Findings, each with its sentence and its remedies. Many of one kind are folded into one.
 *
 * @module
 */
import type * as Status from "@florin/api/wire/Status"
import { named } from "../shell/Messages.ts"
import { ModePill } from "../shell/Pieces.tsx"
import { Words } from "./Parts.tsx"
import { Helps } from "./Remedies.tsx"
import * as Texts from "./Texts.ts"

const { now: texts } = Texts.texts

type Finding = Status.Finding

/** How it looks. */
const urgency = { page: "urgent", ticket: "soon", note: "later" } as const

/** How many of one kind are shown before the rest is folded. */
const shownMax = 2

/** Whose money it is about, if it says that. */
const modeOf = ({ details }: Finding): string | null =>
  typeof details["mode"] === "string" ? details["mode"] : null

/** The same kind with the same remedies is one thing to do. */
const groupOf = ({ finding, remedies }: Finding): string =>
  [finding, ...remedies.map(({ command }) => command)].join("\n")

const Line = ({ finding }: { readonly finding: Finding }) => (
  <p class="finding">
    <Words text={finding.message} /> <ModePill mode={modeOf(finding)} />
  </p>
)

export const FindingLines = ({
  findings,
  onDone,
}: {
  readonly findings: ReadonlyArray<Finding>
  readonly onDone: () => void
}) => (
  <ul class="findings">
    {[...Map.groupBy(findings, groupOf)].map(([group, [first, ...others]]) => {
      if (first === undefined) return null
      const [open, folded] = [others.slice(0, shownMax - 1), others.slice(shownMax - 1)]
      return (
        <li key={group} class={`card ${urgency[first.severity]}`}>
          {first.finding in texts.kinds && (
            <p>
              <strong>{named(texts.kinds, first.finding)}</strong>
            </p>
          )}
          {[first, ...open].map((finding) => (
            <Line key={finding.key} finding={finding} />
          ))}
          {folded.length > 0 && (
            <details>
              <summary>{texts.more(folded.length)}</summary>
              {folded.map((finding) => (
                <Line key={finding.key} finding={finding} />
              ))}
            </details>
          )}
          {first.remedies.length > 0 && (
            <div class="actions" role="group" aria-label={texts.helps}>
              {first.remedies.map((remedy, index) => (
                <Helps
                  key={remedy.command}
                  remedy={remedy}
                  isFirst={index === first.remedies.length - 1}
                  onDone={onDone}
                />
              ))}
            </div>
          )}
        </li>
      )
    })}
  </ul>
)

/** What was read of the service, and whether there is a finding about it. */
export const PartPills = ({
  parts,
  fine,
  skipped,
}: Pick<Status.Status, "fine" | "skipped"> & { readonly parts: ReadonlyArray<string> }) => (
  <ul class="filters">
    {parts.map((part) => {
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
