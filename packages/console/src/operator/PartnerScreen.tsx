/**
 * One partner: its fees, payouts, credit and limits, which a person changes, and what stops it.
 *
 * @module
 */
import type * as Partner from "@florin/api/wire/Partner"
import * as TypedAmount from "@florin/pages/TypedAmount"
import { useState } from "preact/hooks"
import { useConsole } from "../shell/Console.tsx"
import type { Params } from "../shell/Face.ts"
import { CheckField, Form, TextField, useSubmission } from "../shell/Form.tsx"
import { Card, Code, Fact, Facts, Head } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { Link } from "../shell/Route.tsx"
import { useAct } from "./Act.tsx"
import { MeasureActs } from "./MeasureActs.tsx"
import * as PartnerChanges from "./PartnerChanges.ts"
import { Measures } from "./Partners.tsx"
import { modes, Shown, useRead } from "./Parts.tsx"
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
  const { mode: modeTexts, partner: texts } = Texts.texts()
  const act = useAct()
  const submission = useSubmission()
  const before = PartnerChanges.valuesOf(partner)
  const [typed, setTyped] = useState<{ readonly [field: string]: string }>({})
  const after = { ...before, ...typed }
  const changed = Object.keys(after).filter((field) => after[field] !== before[field])
  const labelOf = (field: string): string => {
    const name = field.startsWith("credit.") ? "credit" : (field.split(".").at(-1) ?? field)
    return texts.fields[name] ?? name
  }
  const nameOf = (field: string): string => {
    const mode = modes.find((each) => field.includes(`.${each}`))
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
        path: `/partners/${encodeURIComponent(partner.id)}`,
        request: PartnerChanges.of(before, after),
        title: texts.change,
        action: texts.save,
        said: texts.saved,
        body: (
          <>
            <p>
              <bdi>{partner.name}</bdi>
            </p>
            <Facts>
              {changed.map((name) => (
                <Fact key={name} name={nameOf(name)}>
                  <bdi>{before[name] || "–"}</bdi> → <bdi>{after[name] || "–"}</bdi>
                </Fact>
              ))}
            </Facts>
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
        {modes.toReversed().map((mode) => (
          <fieldset key={mode} class="fields">
            <legend>{modeTexts[mode]}</legend>
            <div class="pairs">
              {field(`credit.${mode}`, texts.hints.credit)}
              {Object.entries(partner.limits[mode]).map(([name, limit]) =>
                typeof limit === "boolean"
                  ? null
                  : field(`limits.${mode}.${name}`, texts.limitHints[name]),
              )}
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
  const { keys, partner: texts, partners } = Texts.texts()
  const path = `/partners/${encodeURIComponent(partnerId)}`
  const read = useRead<One>(path)
  const alike = useRead<Partner.Resembling>(`${path}/resembling`, {}, false)
  const { value } = read
  const state = {
    isFrozen: typeof value?.frozenAt === "string",
    isSuspended: typeof value?.suspendedAt === "string",
  }
  return (
    <>
      <Head
        title={value === undefined ? texts.one : <bdi>{value.name}</bdi>}
        note={value !== undefined && <Measures {...state} />}
        back={{ to: "/partners", name: partners.title }}
      >
        {value !== undefined && (
          <MeasureActs path={path} name={value.name} {...state} onDone={read.reload} />
        )}
      </Head>
      <Shown of={read}>
        {(partner) => (
          <div class="columns">
            <Terms partner={partner} onDone={read.reload} />
            <div class="stack">
              <Card title={texts.about}>
                <Facts>
                  <Fact name={partners.id}>
                    <Code name={partners.id} text={partner.id} isWhole />
                  </Fact>
                  <Fact name={texts.version}>{partner.versionPin}</Fact>
                  <Fact name={texts.fields["fixed"] ?? ""}>
                    {partner.fees.fixed
                      .filter(({ value: minor }) => minor !== "0")
                      .map(fixedFee)
                      .join(", ")}
                  </Fact>
                  <Fact name={texts.suspendedAt}>
                    {partner.suspendedAt !== null && Reader.time(partner.suspendedAt)}
                  </Fact>
                  <Fact name={texts.frozenAt}>
                    {partner.frozenAt !== null && Reader.time(partner.frozenAt)}
                  </Fact>
                </Facts>
                <div class="actions">
                  <Link class="button quiet" to={`/keys?partnerId=${partner.id}`}>
                    {keys.title}
                  </Link>
                  <Link class="button quiet" to={`/audit?partnerId=${partner.id}`}>
                    {Texts.texts().audit.title}
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
      </Shown>
    </>
  )
}

/** Names of other partners and their merchants. */
export const Names = ({ names }: { readonly names: Partner.Resembling["resembles"] }) => (
  <ul class="lines">
    {names.map(({ merchantId, name, partnerId }) => (
      <li key={`${partnerId} ${merchantId}`}>
        <bdi>{name}</bdi>
        <Link to={merchantId === null ? `/partners/${partnerId}` : `/merchants/${merchantId}`}>
          {merchantId ?? partnerId}
        </Link>
      </li>
    ))}
  </ul>
)
