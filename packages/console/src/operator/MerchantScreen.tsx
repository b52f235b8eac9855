/**
 * One merchant of any partner: what stops it, and where its money goes.
 *
 * @module
 */
import type * as Merchant from "@florin/api/wire/Merchant"
import type * as Settlement from "@florin/api/wire/Settlement"
import type { Params } from "../shell/Face.ts"
import { Card, Code, Fact, Facts, Head, Pill, Time } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { Link } from "../shell/Route.tsx"
import { Timeline } from "../shell/Timeline.tsx"
import { Act } from "./Act.tsx"
import { approval } from "./Approvals.tsx"
import { MeasureActs } from "./MeasureActs.tsx"
import { feesText, Measures } from "./Partners.tsx"
import { ModePill, Shown, useRead } from "./Parts.tsx"
import * as Texts from "./Texts.ts"

const Destinations = ({
  merchant: { id, settlements },
  onDone,
}: {
  readonly merchant: Merchant.OwnedProfile
  readonly onDone: () => void
}) => {
  const { merchant: texts } = Texts.texts()
  if (settlements.crypto.length === 0) return <p class="note">{texts.noDestination}</p>
  return (
    <ul class="lines">
      {settlements.crypto.map(({ asset, destination, id: settlementId, takesEffectAt }) => (
        <li key={settlementId}>
          <span>
            <Code name={texts.destination} text={destination} />
            <span class="note">
              {" "}
              <code>{Reader.short(asset)}</code>
            </span>
          </span>
          {takesEffectAt !== undefined && (
            <span class="actions">
              <Pill tone="caution">{texts.from(Reader.time(takesEffectAt))}</Pill>
              <Act
                isQuiet
                deed={{
                  scope: "admin",
                  title: texts.confirm,
                  action: texts.confirm,
                  said: texts.confirmed,
                  isDangerous: true,
                  path: `/merchants/${encodeURIComponent(id)}/settlements/${encodeURIComponent(settlementId)}/confirm`,
                  request: { destination },
                  body: (
                    <>
                      <p>{texts.confirmQuestion}</p>
                      <p>
                        <code>{destination}</code>
                      </p>
                    </>
                  ),
                }}
                onDone={onDone}
              />
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

const History = ({ path }: { readonly path: string }) => {
  const { merchant: texts } = Texts.texts()
  const read = useRead<Settlement.History>(`${path}/settlements/history`, {}, false)
  return (
    <Shown of={read}>
      {({ changes }) =>
        changes.length > 0 && (
          <Card title={texts.history}>
            <Timeline
              steps={changes.map(({ createdAt, from, settlementId, takesEffectAt, to }) => ({
                key: `${createdAt} ${settlementId}`,
                at: createdAt,
                tone:
                  takesEffectAt !== null && Date.parse(takesEffectAt) > Date.now() ? "now" : "done",
                title:
                  to === null ? texts.deleted : from === null ? texts.registered : texts.changed,
                body: (
                  <>
                    {from !== null && <code>{from}</code>}
                    {to !== null && <code>→ {to}</code>}
                  </>
                ),
              }))}
            />
          </Card>
        )
      }
    </Shown>
  )
}

export const Screen = ({ merchantId = "" }: Params) => {
  const { approvals, merchant: texts, partners } = Texts.texts()
  const path = `/merchants/${encodeURIComponent(merchantId)}`
  const read = useRead<Merchant.OwnedProfile>(path)
  const { value } = read
  const state = {
    isFrozen: typeof value?.frozenAt === "string",
    isSuspended: value !== undefined && value.status !== "active",
  }
  return (
    <>
      <Head
        title={value === undefined ? texts.one : <bdi>{value.name}</bdi>}
        note={
          value !== undefined && (
            <>
              <Measures {...state} /> <ModePill mode={value.mode} />
            </>
          )
        }
        back={{
          to: value === undefined ? "/partners" : `/partners/${value.partnerId}`,
          name: partners.title,
        }}
      >
        {value !== undefined && (
          <>
            {value.waiting !== null && <Act deed={approval(value)} onDone={read.reload} />}
            <MeasureActs path={path} name={value.name} {...state} onDone={read.reload} />
          </>
        )}
      </Head>
      <Shown of={read}>
        {(merchant) => (
          <div class="columns">
            <div class="stack">
              <Card title={texts.destinations}>
                <Destinations merchant={merchant} onDone={read.reload} />
              </Card>
              <History path={path} />
            </div>
            <Card title={texts.about}>
              <Facts>
                <Fact name={partners.id}>
                  <Code name={partners.id} text={merchant.id} isWhole />
                </Fact>
                <Fact name={approvals.partner}>
                  <Link to={`/partners/${merchant.partnerId}`}>{merchant.partnerId}</Link>
                </Fact>
                <Fact name={texts.email}>
                  <bdi>{merchant.email}</bdi>
                </Fact>
                <Fact name={approvals.supportEmail}>
                  {merchant.supportEmail !== null && <bdi>{merchant.supportEmail}</bdi>}
                </Fact>
                <Fact name={approvals.supportUrl}>
                  {merchant.supportUrl !== null && <bdi>{merchant.supportUrl}</bdi>}
                </Fact>
                <Fact name={partners.fees}>
                  {merchant.fees === null ? texts.ofPartner : feesText(merchant.fees)}
                </Fact>
                <Fact name={partners.payouts}>{merchant.payouts ?? texts.ofPartner}</Fact>
                <Fact name={texts.created}>
                  <Time at={merchant.createdAt} />
                </Fact>
              </Facts>
              <Link class="button quiet" to={`/outflows?merchantId=${merchant.id}`}>
                {Texts.texts().outflows.title}
              </Link>
            </Card>
          </div>
        )}
      </Shown>
    </>
  )
}
