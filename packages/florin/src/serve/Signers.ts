/**
 * The signers of accounts whose keys are not among the relayers' keys, as an operator writes them: a list in JSON. It
 * contains no secrets, but names the files that do.
 *
 * @module
 */
import type { RelayerAccount } from "@florin/evm/Signer"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Failure from "../terminal/Failure.ts"
import * as Relayers from "./Relayers.ts"

const Text = Schema.String.check(Schema.isMinLength(1))

/** Work that waits for a signature has a lease of 30 seconds. */
const WithinInMs = Schema.Int.check(Schema.isBetween({ minimum: 100, maximum: 20_000 }))

/** A URL must not contain a password, which would get into the log of anybody who prints this setting. */
const isPlainUrl = (given: string): boolean => {
  const url = URL.parse(given)
  return url !== null && /^https?:$/u.test(url.protocol) && url.username + url.password === ""
}

const common = { address: Text, signWithinInMs: Schema.optionalKey(WithinInMs) }

const Written = Schema.Union([
  Schema.Struct({ ...common, keyFile: Text }),
  Schema.Struct({
    ...common,
    web3signer: Text.check(Schema.makeFilter(isPlainUrl)),
    tokenFile: Schema.optionalKey(Text),
    caFile: Schema.optionalKey(Text),
    certFile: Schema.optionalKey(Text),
    certKeyFile: Schema.optionalKey(Text),
  }),
  Schema.Struct({
    ...common,
    program: Schema.TupleWithRest(Schema.Tuple([Text]), [Schema.String]),
    environment: Schema.optionalKey(
      Schema.Array(Schema.String.check(Schema.isPattern(/^[A-Za-z_][A-Za-z0-9_]*$/u))),
    ),
  }),
])

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(Written)), {
  onExcessProperty: "error",
})

const expected =
  'a list in JSON, each with an address (as in relayers) and a keyFile, a web3signer (an http or https URL without a password) or a program (a list of its file and arguments), such as [{"address":"0x…","program":["/opt/sign"]}]; docs/command-line.md lists what else'

/** An account with an external signer. */
export interface Signer extends Relayers.Relayer<RelayerAccount> {
  /** The path of its key, if a key file signs. */
  readonly keyFile: string | null
}

/** The signer is loaded with the first transaction, because the start does not need it. */
const accountOf = (
  written: typeof Written.Type,
  address: string,
): Pick<RelayerAccount, "signTransaction"> => {
  const load = async (): Promise<RelayerAccount> => {
    if ("keyFile" in written) {
      const KeyFile = await import("@florin/signers/KeyFile")
      return KeyFile.account({ address, path: written.keyFile })
    }
    if ("program" in written) {
      const Program = await import("@florin/signers/Program")
      return Program.account({ ...written, address, command: written.program })
    }
    const Web3Signer = await import("@florin/signers/Web3Signer")
    return Web3Signer.account({ ...written, address, url: written.web3signer })
  }
  return { signTransaction: async (...asked) => (await load()).signTransaction(...asked) }
}

const signerOf = (written: typeof Written.Type): Option.Option<Signer> =>
  Option.map(Relayers.address.read(written.address), ({ account: { address }, ...relayer }) => ({
    ...relayer,
    account: {
      address,
      ...accountOf(written, address),
      ...(written.signWithinInMs !== undefined && { signWithinInMs: written.signWithinInMs }),
    },
    keyFile: "keyFile" in written ? written.keyFile : null,
  }))

export const kind = {
  metavar: "JSON",
  expected,
  read: (text: string): Option.Option<ReadonlyArray<Signer>> =>
    Option.flatMap(decode(text), (all) => Option.all(all.map(signerOf))),
  /** The same in the configuration file: the list itself. */
  shape: {
    expected: `is ${expected}`,
    texts: (value: unknown): Option.Option<ReadonlyArray<string>> =>
      Array.isArray(value) ? Option.some([JSON.stringify(value)]) : Option.none(),
  },
  mayHoldPassword: true,
} as const

/** The form for a process that never signs: addresses only. */
export const toRelayers = (signers: ReadonlyArray<Signer>): ReadonlyArray<Relayers.Relayer> =>
  signers.map(({ account: { address }, chainId, isDraining }) => ({
    account: { address },
    chainId,
    isDraining,
  }))

/** Fails with the first file that does not contain its account's key. Other signers may become available later. */
export const check = Effect.fnUntraced(function* (signers: ReadonlyArray<Signer>) {
  for (const { account, keyFile } of signers) {
    if (keyFile === null) continue
    const KeyFile = yield* Effect.promise(() => import("@florin/signers/KeyFile"))
    const opened = Result.try(() => KeyFile.open({ address: account.address, path: keyFile }))
    if (Result.isSuccess(opened)) continue
    const why = opened.failure instanceof Error ? opened.failure.message : ""
    return yield* Failure.make(`the signer of ${Relayers.formatAddress(account)}: ${why}`)
  }
  return undefined
})
