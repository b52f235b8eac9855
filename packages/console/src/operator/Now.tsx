/**
 * What needs a person, the most urgent first, with what helps.
 *
 * @module
 */
import type * as Status from "@florin/api/wire/Status"
import { useRead } from "../shell/Api.ts"
import { Detail } from "../shell/Detail.tsx"
import { Card, Icon, Time } from "../shell/Pieces.tsx"
import { findingList, partPills } from "./Findings.tsx"
import { inEnglish } from "./Parts.tsx"
import * as Texts from "./Texts.ts"

const { now: texts } = Texts.texts

const severities = ["page", "ticket", "note"] as const

const atEase = () => (
  <div class="atEase" role="status">
    <Icon path="M3 10l5 5 9-10" />
    <div>
      <p class="emptyTitle">{texts.calm}</p>
      <p class="note">{texts.calmText}</p>
    </div>
  </div>
)

export const Screen = () => {
  const status = useRead<Status.Status>("/status")
  return (
    <Detail
      of={status}
      name={texts.title}
      note={({ at }) => (
        <>
          {texts.readAt} <Time at={at} />
          {inEnglish()}
        </>
      )}
      main={({ findings, fine, needsAttention, skipped }) => (
        <>
          {!needsAttention && atEase()}
          {severities.map((severity) => {
            const found = findings.filter((finding) => finding.severity === severity)
            return (
              found.length > 0 && (
                <section key={severity} class="severity" aria-label={texts.severity[severity]}>
                  <h2>
                    {texts.severity[severity]} <span class="count">{found.length}</span>
                  </h2>
                  {findingList(found)}
                </section>
              )
            )
          })}
          <Card title={texts.parts}>{partPills([...fine, ...skipped], { fine, skipped })}</Card>
        </>
      )}
    />
  )
}
