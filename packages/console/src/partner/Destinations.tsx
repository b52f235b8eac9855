/**
 * The accounts to which a merchant is paid out: one for each token. Each change says what it does before it is made.
 *
 * @module
 */
import type * as Asset from "@florin/api/wire/Asset"
import type * as Settlement from "@florin/api/wire/Settlement"
import { useState } from "preact/hooks"
import { useConsole } from "../shell/Console.tsx"
import { Dialog } from "../shell/Dialog.tsx"
import { Form, SelectField, TextField, useOnce, useSubmission } from "../shell/Form.tsx"
import { Card, Code, Pill } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import * as Texts from "./Texts.ts"

type One = Settlement.CryptoSettlement

const tokenName = (assets: ReadonlyArray<Asset.Asset>, id: string): string => {
  const found = assets.find(({ asset }) => asset.toLowerCase() === id.toLowerCase())
  return found === undefined ? id : `${found.symbol} · ${found.network.name}`
}

const isAddress = (text: string): boolean => /^0x[0-9a-fA-F]{40}$/u.test(text.trim())

/** The account of an address on the chain of a token, in CAIP-10. */
const accountOf = (asset: string, address: string): string =>
  `${asset.split("/")[0] ?? ""}:${address.trim()}`

/** Registers a destination for a token, or changes one. */
const Editing = ({
  assets,
  merchantId,
  settlement,
  onClose,
  onDone,
}: {
  readonly assets: ReadonlyArray<Asset.Asset>
  readonly merchantId: string
  readonly settlement: One | undefined
  readonly onClose: () => void
  readonly onDone: () => void
}) => {
  const { partner, toast } = useConsole()
  const { merchants: texts } = Texts.texts()
  const [asset, setAsset] = useState(settlement?.asset ?? assets[0]?.asset ?? "")
  const [address, setAddress] = useState("")
  const [wasTried, setWasTried] = useState(false)
  const submission = useSubmission()
  const once = useOnce()
  const isValid = isAddress(address)
  const save = async () => {
    const destination = accountOf(asset, address)
    if (settlement === undefined) {
      const body = { settlements: [{ asset, destination }] }
      await partner.settlements.create(merchantId, body, { idempotencyKey: once(body) })
    } else {
      await partner.settlements.change(merchantId, settlement.id, { destination })
    }
    toast({ text: texts.changed })
    onDone()
    onClose()
  }
  return (
    <Dialog
      title={settlement === undefined ? texts.addDestination : texts.changeTitle}
      onClose={onClose}
    >
      <Form
        action={settlement === undefined ? texts.addDestination : texts.change}
        submission={submission}
        onSubmit={() => {
          setWasTried(true)
          if (isValid) submission.submit(save)
        }}
      >
        {settlement === undefined && (
          <SelectField
            label={texts.token}
            value={asset}
            options={assets.map((each) => [each.asset, `${each.symbol} · ${each.network.name}`])}
            onValue={setAsset}
          />
        )}
        <TextField
          label={texts.account}
          hint={texts.accountHint}
          error={wasTried && !isValid ? texts.invalidAccount : submission.issue("destination")}
          maxLength={42}
          value={address}
          onValue={setAddress}
        />
        {isValid && <p>{texts.changeNote(tokenName(assets, asset), address.trim())}</p>}
      </Form>
    </Dialog>
  )
}

/** Sends the signature with which the account shows that it belongs to the merchant. */
const Proving = ({
  merchantId,
  settlement,
  onClose,
  onDone,
}: {
  readonly merchantId: string
  readonly settlement: One
  readonly onClose: () => void
  readonly onDone: () => void
}) => {
  const { partner, toast } = useConsole()
  const { merchants: texts } = Texts.texts()
  const [proof, setProof] = useState("")
  const submission = useSubmission()
  const { destination, id, statement = "" } = settlement
  const save = async () => {
    await partner.settlements.change(merchantId, id, { destination, proof: proof.trim() })
    toast({ text: texts.changed })
    onDone()
    onClose()
  }
  return (
    <Dialog title={texts.prove} onClose={onClose}>
      <Form action={texts.prove} submission={submission} onSubmit={() => submission.submit(save)}>
        <p>{texts.statementNote}</p>
        <pre>{statement}</pre>
        <TextField
          label={texts.proof}
          hint={texts.proofHint}
          error={submission.issue("proof")}
          value={proof}
          onValue={setProof}
        />
      </Form>
    </Dialog>
  )
}

export const Destinations = ({
  assets,
  merchantId,
  settlements,
  onDone,
}: {
  readonly assets: ReadonlyArray<Asset.Asset>
  readonly merchantId: string
  readonly settlements: ReadonlyArray<One>
  readonly onDone: () => void
}) => {
  const { ask, may, partner, toast } = useConsole()
  const { merchants: texts, webhooks } = Texts.texts()
  const [editing, setEditing] = useState<{ readonly settlement: One | undefined }>()
  const [proving, setProving] = useState<One>()
  const mayChange = may("manage")
  const remove = ({ asset, destination, id }: One) =>
    ask({
      title: texts.deleteTitle,
      body: <p>{texts.deleteNote(tokenName(assets, asset), Reader.short(destination))}</p>,
      action: webhooks.remove,
      isDangerous: true,
      run: async () => {
        await partner.settlements.remove(merchantId, id)
        toast({ text: texts.changed })
        onDone()
      },
    })
  return (
    <Card
      title={texts.destinations}
      actions={
        mayChange && (
          <button type="button" class="copy" onClick={() => setEditing({ settlement: undefined })}>
            {texts.addDestination}
          </button>
        )
      }
    >
      <p class="note">{texts.destinationsNote}</p>
      {settlements.length === 0 && <p>{texts.noDestinations}</p>}
      <ul class="lines">
        {settlements.map((settlement) => (
          <li key={settlement.id}>
            <div class="fields">
              <strong>{tokenName(assets, settlement.asset)}</strong>
              <Code name={texts.account} text={settlement.destination} isWhole />
              {settlement.takesEffectAt === undefined ? (
                <span>
                  <Pill tone="good">{texts.inEffect}</Pill>
                </span>
              ) : (
                <span class="note">{texts.takesEffect(Reader.time(settlement.takesEffectAt))}</span>
              )}
            </div>
            {mayChange && (
              <span class="actions">
                {settlement.statement !== undefined && (
                  <button type="button" class="copy" onClick={() => setProving(settlement)}>
                    {texts.prove}
                  </button>
                )}
                <button type="button" class="copy" onClick={() => setEditing({ settlement })}>
                  {texts.change}
                </button>
                <button type="button" class="copy" onClick={() => remove(settlement)}>
                  {webhooks.remove}
                </button>
              </span>
            )}
          </li>
        ))}
      </ul>
      {editing !== undefined && (
        <Editing
          assets={assets}
          merchantId={merchantId}
          settlement={editing.settlement}
          onClose={() => setEditing(undefined)}
          onDone={onDone}
        />
      )}
      {proving !== undefined && (
        <Proving
          merchantId={merchantId}
          settlement={proving}
          onClose={() => setProving(undefined)}
          onDone={onDone}
        />
      )}
    </Card>
  )
}
