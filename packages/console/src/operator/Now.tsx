/**
 * What needs a person, the most urgent first, with what helps.
 *
 * @module
 */
import type * as Status from "@florin/api/wire/Status"
import { useRead } from "../shell/Api.ts"
import { Card, Head, Time } from "../shell/Pieces.tsx"
import { Shown } from "../shell/Shown.tsx"
import { FindingLines, PartPills } from "./Findings.tsx"
import * as Texts from "./Texts.ts"

const { now: texts } = Texts.texts

const severities = ["page", "ticket", "note"] as const

export const Screen = () => {
  const status = useRead<Status.Status>("/status")
  return (
    <>
      <Head
        title={texts.title}
        note={
          status.value !== undefined && (
            <>
              {texts.readAt} <Time at={status.value.at} />
            </>
          )
        }
      />
      <Shown of={status}>
        {({ findings, fine, needsAttention, skipped }) => (
          <>
            {!needsAttention && (
              <div class="atEase" role="status">
                <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
                  <path d="M3 10l5 5 9-10" />
                </svg>
                <div>
                  <p class="emptyTitle">{texts.calm}</p>
                  <p class="note">{texts.calmText}</p>
                </div>
              </div>
            )}
            {severities.map((severity) => {
              const found = findings.filter((finding) => finding.severity === severity)
              return (
                found.length > 0 && (
                  <section key={severity} class="severity" aria-label={texts.severity[severity]}>
                    <h2>
                      {texts.severity[severity]} <span class="count">{found.length}</span>
                    </h2>
                    <FindingLines findings={found} onDone={status.reload} />
                  </section>
                )
              )
            })}
            <Card title={texts.parts}>
              <PartPills parts={[...fine, ...skipped]} fine={fine} skipped={skipped} />
            </Card>
          </>
        )}
      </Shown>
    </>
  )
}
