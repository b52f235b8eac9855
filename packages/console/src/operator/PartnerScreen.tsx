/**
 * One partner: its fees, payouts, credit and limits, which a person changes, and what stops it.
 *
 * @module
 */
import type * as Partner from "@florin/api/wire/Partner"
import * as TypedAmount from "@florin/pages/TypedAmount"
import { useState } from "preact/hooks"
import { useAct } from "../shell/Act.tsx"
import { useRead } from "../shell/Api.ts"
import { useConsole } from "../shell/Console.tsx"
import type { Params } from "../shell/Face.ts"
import { CheckField, Form, TextField, useSubmission } from "../shell/Form.tsx"
import { named } from "../shell/Messages.ts"
import { Card, codeFact, Facts, foreign, Lines, timeFact } from "../shell/Pieces.tsx"
import { Detail } from "../shell/Problem.tsx"
import * as Reader from "../shell/Reader.ts"
import { at, Link } from "../shell/Route.tsx"
import * as Shell from "../shell/Texts.ts"
import { MeasureActs, MeasurePills } from "./Measures.tsx"
import * as PartnerChanges from "./PartnerChanges.ts"
import * as Texts from "./Texts.ts"

type One = Partner.Partner

/** A fee in minor units of a currency. */
const fixedFee = ({ unit, value }: One["fees"]["fixed"][number]): string => {
  const currency = unit.replace("iso4217/", "")
  const decimals = TypedAmount.digitsOf(currency)
  return Reader.amount({
    unit,
    value,
    display: { assetName: currency, assetSymbol: currency, decimals },
  })
}

const Terms = ({ partner, onDone }: { readonly partner: One; readonly onDone: () => void }) => {
  const { may } = useConsole()
  const { partner: texts } = Texts.texts()
  const { mode: modeTexts } = Shell.texts()
  const act = useAct()
  const submission = useSubmission()
  const before = PartnerChanges.valuesOf(partner)
  const [typed, setTyped] = useState<{ readonly [field: string]: string }>({})
  const after = { ...before, ...typed }
  const changed = Object.keys(after).filter((field) => after[field] !== before[field])
  const labelOf = (field: string): string => {
    const name = field.startsWith("credit.") ? "credit" : (field.split(".").at(-1) ?? field)
    return named(texts.fields, name)
  }
  const nameOf = (field: string): string => {
    const mode = PartnerChanges.modes.find((each) => field.includes(`.${each}`))
    return mode === undefined ? labelOf(field) : `${labelOf(field)} · ${modeTexts[mode]}`
  }
  const field = (name: string, hint?: string) => (
    <TextField
      key={name}
      label={labelOf(name)}
      hint={hint}
      value={after[name] ?? ""}
      onValue={(value) => setTyped((was) => ({ ...was, [name]: value }))}
    />
  )
  const review = () =>
    act(
      {
        scope: "admin",
        method: "PATCH",
        path: at`/partners/${partner.id}`,
        request: PartnerChanges.of(before, after),
        title: texts.change,
        action: texts.save,
        said: texts.saved,
        body: (
          <>
            <p>{foreign(partner.name)}</p>
            <Facts
              of={changed.map((name) => [
                nameOf(name),
                <>
                  <bdi>{before[name] || "–"}</bdi> → <bdi>{after[name] || "–"}</bdi>
                </>,
              ])}
            />
          </>
        ),
      },
      () => {
        setTyped({})
        onDone()
      },
    )
  return (
    <Card title={texts.terms}>
      {!may("admin") && <p class="note">{texts.onlyAdmin}</p>}
      <Form
        action={texts.review}
        isReady={changed.length > 0 && may("admin")}
        submission={submission}
        onSubmit={review}
      >
        {field("name")}
        <div class="pairs">
          {field("fees.percentage", texts.hints.percentage)}
          {field("payouts", texts.hints.payouts)}
        </div>
        {PartnerChanges.modes.toReversed().map((mode) => (
          <fieldset key={mode} class="fields">
            <legend>{modeTexts[mode]}</legend>
            <div class="pairs">
              {field(`credit.${mode}`, texts.hints.credit)}
              {field(`limits.${mode}.payoutDelay`, texts.hints.payoutDelay)}
              {field(`limits.${mode}.reserve`, texts.hints.reserve)}
              {field(`limits.${mode}.payoutsPerDay`, texts.hints.payoutsPerDay)}
              {field(`limits.${mode}.refundsPerDay`, texts.hints.refundsPerDay)}
            </div>
            <CheckField
              legend={labelOf(`limits.${mode}.netsMerchants`)}
              values={after[`limits.${mode}.netsMerchants`] === "true" ? ["nets"] : []}
              options={[["nets", texts.hints.netsMerchants]]}
              onValues={(values) =>
                setTyped((was) => ({
                  ...was,
                  [`limits.${mode}.netsMerchants`]: `${values.length > 0}`,
                }))
              }
            />
          </fieldset>
        ))}
      </Form>
    </Card>
  )
}

export const Screen = ({ partnerId = "" }: Params) => {
  const { partner: texts, partners } = Texts.texts()
  const { access, audit } = Shell.texts()
  const path = at`/partners/${partnerId}`
  const read = useRead<One>(path)
  const alike = useRead<Partner.Resembling>(`${path}/resembling`, {}, false)
  const stopped = ({ frozenAt, suspendedAt }: One) => ({
    isFrozen: frozenAt !== null,
    isSuspended: suspendedAt !== null,
  })
  return (
    <Detail
      of={read}
      back={{ to: "/partners", name: partners.title }}
      name={texts.one}
      title={({ name }) => foreign(name)}
      note={(partner) => <MeasurePills {...stopped(partner)} />}
      acts={(partner) => (
        <MeasureActs path={path} name={partner.name} {...stopped(partner)} onDone={read.reload} />
      )}
    >
      {(partner) => (
        <div class="columns">
          <Terms partner={partner} onDone={read.reload} />
          <div class="stack">
            <Card title={texts.about}>
              <Facts
                of={[
                  codeFact(partners.id, partner.id, true),
                  [texts.version, partner.versionPin],
                  [
                    texts.fields.fixed,
                    partner.fees.fixed
                      .filter(({ value }) => value !== "0")
                      .map(fixedFee)
                      .join(", "),
                  ],
                  timeFact(texts.suspendedAt, partner.suspendedAt),
                  timeFact(texts.frozenAt, partner.frozenAt),
                ]}
              />
              <div class="actions">
                <Link class="button quiet" to={`/keys?partnerId=${partner.id}`}>
                  {access.title}
                </Link>
                <Link class="button quiet" to={`/audit?partnerId=${partner.id}`}>
                  {audit.title}
                </Link>
              </div>
            </Card>
            {alike.value !== undefined && alike.value.resembles.length > 0 && (
              <Card title={texts.alike}>
                <Names names={alike.value.resembles} />
              </Card>
            )}
          </div>
        </div>
      )}
    </Detail>
  )
}

/** Names of other partners and their merchants. */
export const Names = ({ names }: { readonly names: Partner.Resembling["resembles"] }) => (
  <Lines
    of={names.map(({ merchantId, name, partnerId }) => (
      <>
        {foreign(name)}
        <Link to={merchantId === null ? `/partners/${partnerId}` : `/merchants/${merchantId}`}>
          {merchantId ?? partnerId}
        </Link>
      </>
    ))}
  />
)
