/**
 * The accounts that collect, settle and refund, as an operator configures them: by key in workers, and by address
 * elsewhere, for all chains or for one.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type { NamedAccount, OwnAccount } from "@florin/evm/Evm"
import * as PrivateKey from "@florin/signers/PrivateKey"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

export interface Relayer<Account extends OwnAccount = OwnAccount> {
  readonly account: Account
  /** The only chain that it is for; null if it is for all. */
  readonly chainId: Caip.ChainId | null
  readonly isDraining: boolean
}

/** The accounts of one mode. */
export interface Relayers {
  /** Accounts with a key or signer; a process that never signs has only their addresses. */
  readonly keys: ReadonlyArray<Relayer>
  readonly named: ReadonlyArray<Relayer<NamedAccount>>
}

/** For example `8453=draining:0x…`. */
const parse =
  <Account extends OwnAccount>(accountOf: (text: string) => Option.Option<Account>) =>
  (given: string): Option.Option<Relayer<Account>> => {
    const [, id, draining, text = ""] = /^(?:(\d+)=)?(draining:)?(0x.*)$/u.exec(given) ?? []
    const chainId =
      id === undefined ? Option.some(null) : Result.getSuccess(Eip155.parseChain(`eip155:${id}`))
    return Option.all({
      account: accountOf(text),
      chainId,
      isDraining: Option.some(draining !== undefined),
    })
  }

export const key = {
  metavar: "KEYS",
  expected:
    "private keys, each 0x and 64 hex digits, with draining: before those that accept no new payments and 8453= before those for one chain only, such as 8453=draining:0x…",
  read: parse((text) =>
    /^0x[0-9a-fA-F]{64}$/u.test(text) ? PrivateKey.account(text.slice(2)) : Option.none(),
  ),
}

/** Payers may send money there without our signature, so the checksum is required to detect typing errors. */
export const address = {
  metavar: "ADDRESS",
  expected:
    "addresses with the capitals of their checksum, as wallets show them, with draining: before those that accept no new payments and 8453= before those for one chain only, such as 8453=draining:0x…; never keys",
  read: parse((text) =>
    Result.getSuccess(Eip155.parseAddress(text)).pipe(
      Option.filter((each) => Eip155.formatAddress(each) === text),
      Option.map((each): NamedAccount => ({ address: each })),
    ),
  ),
  // Somebody may pass a key by mistake.
  mayHoldPassword: true,
} as const

/** One account of a chain; it is draining if any of the lists says so. */
const together = (each: Relayer, others: ReadonlyArray<Relayer>): OwnAccount => {
  const same = others.filter(({ account }) => account.address === each.account.address)
  const [other = each] = same
  return {
    ...other.account,
    isDraining: each.isDraining || same.some(({ isDraining }) => isDraining),
  }
}

/**
 * The accounts of one chain. Named accounts come first, in their order, with their keys if these are given. So
 * processes with and without keys have the same order, which determines the account of a payment.
 */
export const ofChain = (relayers: Relayers, chainId: Caip.ChainId): ReadonlyArray<OwnAccount> => {
  const isHere = (each: Relayer): boolean => each.chainId === null || each.chainId === chainId
  const [named, keys] = [relayers.named.filter(isHere), relayers.keys.filter(isHere)]
  const isNamed = new Set(named.map(({ account }) => account.address))
  return [
    ...named.map((each) => together(each, keys)),
    ...keys
      .filter(({ account }) => !isNamed.has(account.address))
      .map((each) => together(each, [])),
  ]
}

/** The addresses of all accounts, on any chain. */
export const addresses = ({ keys, named }: Relayers): ReadonlySet<string> =>
  new Set([...named, ...keys].map(({ account }) => account.address))

/** An account with both a key and a signer, or with two of either, on one chain. */
export const findDuplicate = ({ keys }: Relayers): OwnAccount | undefined =>
  keys.find(({ account, chainId }, index) =>
    keys
      .slice(index + 1)
      .some(
        (other) =>
          other.account.address === account.address &&
          (chainId === null || other.chainId === null || chainId === other.chainId),
      ),
  )?.account

/** A chain for which an account is configured, and which is not among these. */
export const stranger = (
  { keys, named }: Relayers,
  chainIds: ReadonlyArray<Caip.ChainId>,
): Caip.ChainId | undefined =>
  [...keys, ...named]
    .map(({ chainId }) => chainId)
    .find((each): each is Caip.ChainId => each !== null && !chainIds.includes(each))

/** The address notation of an account. */
export const formatAddress = (account: OwnAccount): string =>
  Result.match(Eip155.parseAddress(account.address), {
    onFailure: () => account.address,
    onSuccess: Eip155.formatAddress,
  })
