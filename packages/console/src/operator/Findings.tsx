/**
 * Findings, each with its sentence and its remedies.
 *
 * @module
 */
import type * as Status from "@florin/api/wire/Status"
import { ModePill } from "./Parts.tsx"
import { Helps } from "./Remedies.tsx"
import * as Texts from "./Texts.ts"

/** Whose money it is about, if it says that. */
const modeOf = ({ details }: Status.Finding): string | null =>
  typeof details["mode"] === "string" ? details["mode"] : null

export const FindingLines = ({
  findings,
  onDone,
}: {
  readonly findings: ReadonlyArray<Status.Finding>
  readonly onDone: () => void
}) => (
  <ul class="findings">
    {findings.map((finding) => {
      const { key, message, remedies, severity } = finding
      return (
        <li key={key} class={`card ${severity}`}>
          <p class="finding">
            <bdi>{message}</bdi> <ModePill mode={modeOf(finding)} />
          </p>
          {remedies.length > 0 && (
            <div class="actions" role="group" aria-label={Texts.texts().now.helps}>
              {remedies.map((remedy, index) => (
                <Helps
                  key={remedy.command}
                  remedy={remedy}
                  isFirst={index === remedies.length - 1}
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
