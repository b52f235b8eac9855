/**
 * One payment: what happened to it, what is known of it, and what can be done.
 *
 * @module
 */
import type * as Payment from "@florin/api/wire/Payment"
import type { Partner } from "@florin/client"
import { QrCode } from "@florin/pages/QrCode"
import { useState } from "preact/hooks"
import { useConsole } from "../shell/Console.tsx"
import type { Params } from "../shell/Face.ts"
import { useLoad } from "../shell/Load.ts"
import { Card, Code, Fact, Facts, Foreign, Head } from "../shell/Pieces.tsx"
import { ProblemNote, Waiting } from "../shell/Problem.tsx"
import * as Reader from "../shell/Reader.ts"
import { usePlace } from "../shell/Route.tsx"
import { Timeline } from "../shell/Timeline.tsx"
import * as History from "./History.tsx"
import * as Parts from "./PaymentParts.tsx"
import { left, Refunding } from "./Refunding.tsx"
import * as Texts from "./Texts.ts"

/**
 * The API reads a payment for its merchant only. If the address does not say whose it is, as after a search by id, each
 * of the first merchants is asked.
 */
const find = async (
  partner: Partner,
  id: string,
  merchantId: string | undefined,
  signal: AbortSignal,
): Promise<Payment.Details> => {
  if (merchantId !== undefined) return partner.payments.get(id, { merchantId, signal })
  const { merchants } = await partner.merchants.list({ limit: 50 }, { signal })
  const asked = merchants.map((merchant) =>
    partner.payments.get(id, { merchantId: merchant.id, signal }),
  )
  try {
    return await Promise.any(asked)
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error
  }
}

const Items = ({
  details: { description, lineItems = [] },
}: {
  readonly details: Payment.Details
}) => {
  const { payment: texts } = Texts.texts()
  return (
    <>
      <Fact name={texts.description}>{description && <Foreign text={description} />}</Fact>
      <Fact name={texts.items}>
        {lineItems.length > 0 && (
          <ul>
            {lineItems.map(({ amount, name, quantity }, index) => (
              <li key={index}>
                {Reader.count(quantity)} × <Foreign text={name} />
                {amount !== undefined && ` · ${Reader.amount(amount)}`}
              </li>
            ))}
          </ul>
        )}
      </Fact>
    </>
  )
}

export const Screen = ({ id = "" }: Params) => {
  const { ask, may, partner, toast } = useConsole()
  const { query } = usePlace()
  const { payment: texts, payments } = Texts.texts()
  const [isRefunding, setIsRefunding] = useState(false)
  const merchantId = query.get("merchantId") ?? undefined
  const loaded = useLoad(id, (signal) => find(partner, id, merchantId, signal), { isLive: true })
  const { error, reload, value: details } = loaded
  const back = { to: "/payments", name: payments.title }
  if (details === undefined) return <Waiting of={loaded} title={payments.title} back={back} />
  const { amount, buyer, gatewayUrl, merchant, metadata, paymentId, referenceId, status } = details
  const said = Reader.amount(amount)
  const isOpen = status === "requires_action"
  const cancel = () =>
    ask({
      title: texts.cancelTitle,
      body: <p>{texts.cancelNote(said)}</p>,
      action: texts.cancel,
      isDangerous: true,
      run: async () => {
        await partner.payments.cancel(paymentId, { merchantId: merchant.id })
        toast({ text: texts.cancelDone })
        reload()
      },
    })
  return (
    <>
      <Head
        back={back}
        title={
          <>
            {said} <Parts.StatusPill status={status} />
          </>
        }
        note={texts.of(referenceId)}
      >
        {may("refund") && left(details) > 0n && (
          <button type="button" class="button quiet" onClick={() => setIsRefunding(true)}>
            {texts.refund}
          </button>
        )}
        {may("pay") && isOpen && (
          <button type="button" class="button quiet" onClick={cancel}>
            {texts.cancel}
          </button>
        )}
      </Head>
      {error !== undefined && <ProblemNote error={error} retry={reload} />}
      <div class="columns">
        <Card title={texts.history}>
          <Timeline steps={History.steps(details)} />
        </Card>
        <div class="stack">
          {isOpen && (
            <Card title={texts.link}>
              <QrCode text={gatewayUrl} label={texts.qr} />
              <Code name={texts.link} text={gatewayUrl} isWhole />
            </Card>
          )}
          <Card title={texts.details}>
            <Facts>
              <Fact name={texts.id}>
                <Code name={texts.id} text={paymentId} isWhole />
              </Fact>
              <Fact name={payments.reference}>
                <Foreign text={referenceId} />
              </Fact>
              <Fact name={payments.merchant}>
                <Foreign text={merchant.name} />
              </Fact>
              <Fact name={payments.created}>{Reader.time(details.createdAt)}</Fact>
              <Fact name={texts.expiresAt}>{isOpen && Reader.time(details.expiresAt * 1000)}</Fact>
              <Fact name={texts.payer}>
                {buyer && <Code name={texts.payer} text={buyer.accountCaip10} />}
              </Fact>
              <Fact name={texts.wallet}>
                {buyer && <Foreign text={buyer.accountProviderName} />}
              </Fact>
              <Items details={details} />
              <Fact name={texts.metadata}>
                {Object.keys(metadata).length > 0 && (
                  <ul>
                    {Object.entries(metadata).map(([name, value]) => (
                      <li key={name}>
                        <code>{name}</code>: <Foreign text={value} />
                      </li>
                    ))}
                  </ul>
                )}
              </Fact>
            </Facts>
          </Card>
        </div>
      </div>
      {isRefunding && (
        <Refunding details={details} onClose={() => setIsRefunding(false)} onDone={reload} />
      )}
    </>
  )
}
