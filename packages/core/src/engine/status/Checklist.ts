/**
 * What should hold before real money moves: the rows of docs/before-real-money.md, in its order.
 *
 * @module
 */
import * as Struct from "effect/Struct"

/** Names of settings and commands are in backticks. Where they are printed, only commands keep them. */
export interface Row {
  /** The condition that should hold. */
  readonly holds: string
  /** The reason, and what to do if it does not hold. */
  readonly mend: string
  /** `must`: an error if it does not hold. `choice`: it may be intended. `yours`: no program can check it. */
  readonly weight: "must" | "choice" | "yours"
}

export const rows = {
  database: {
    holds: "The ledger is on a PostgreSQL server.",
    mend: "An embedded database depends on one disk, and memory is lost with the process. Set `DATABASE_URL`.",
    weight: "must",
  },
  schema: {
    holds: "The database responds, and has the schema of this release.",
    mend: "Run `florin migrate`, or start the release that matches the database.",
    weight: "must",
  },
  disk: {
    holds: "The database confirms a write only when it is on disk.",
    mend: "A power cut would lose confirmed payments. Set `fsync`, `full_page_writes` and `synchronous_commit` to on.",
    weight: "must",
  },
  clock: {
    holds: "This machine's clock agrees with the database's.",
    mend: "Payments and leases expire by time. Synchronize both clocks with NTP.",
    weight: "must",
  },
  live: {
    holds: "Live payments have a chain.",
    mend: "Without `rpc` no options are offered for them. Name two nodes of each chain.",
    weight: "must",
  },
  hosts: {
    holds: "Every live chain has nodes of two hosts.",
    mend: "One node alone could forge a payment. Add a node of another host to `rpc`.",
    weight: "must",
  },
  nodes: {
    holds: "Nodes respond, and every token passes its check.",
    mend: "A token that fails is not offered to payers. Do what its message says.",
    weight: "must",
  },
  halted: {
    holds: "No live chain is halted.",
    mend: "Find out what halted it (`florin chains halted`), then resume it (`florin chains resume <chainId>`).",
    weight: "must",
  },
  gas: {
    holds: "Every collecting account has coin for gas.",
    mend: "Without gas nothing is collected or paid out. Send each account some of its chain's coin.",
    weight: "must",
  },
  spending: {
    holds: "The gas that an account spends in an hour is limited.",
    mend: "A fault or an attack could spend all of its coin. Set `spendPerHour` in `chains`.",
    weight: "choice",
  },
  gasPrice: {
    holds: "Every chain's coin has a price.",
    mend: "Without one the smallest payment that is collected does not depend on the cost of gas. Add a `rateFeed`, such as `ETH.USD`.",
    weight: "choice",
  },
  keys: {
    holds: "Processes that serve the API have no key of an account.",
    mend: "An attacker who breaks into a process with keys has the money. Run `--role api` with addresses only, and `--role worker` separately.",
    weight: "choice",
  },
  signers: {
    holds: "Keys of live accounts are held by signers.",
    mend: "A key in an environment variable is in every dump of the process. Name a key file, Web3Signer or a program in `signers`.",
    weight: "choice",
  },
  secrets: {
    holds: "The seal key and the vault key are different keys.",
    mend: "If one leaks, the other should stay safe. Create each with `openssl rand -base64 32`.",
    weight: "must",
  },
  sameKeys: {
    holds: "The seal key and the vault key are those that the database was used with.",
    mend: "What another key sealed cannot be read, and `florin serve` refuses to start. Set the keys of the other processes; section 8 of docs/operations.md says how to rotate or replace a key.",
    weight: "must",
  },
  host: {
    holds: "Payment links use your own host, over https.",
    mend: "Wallets trust that host. Set `payLinkHost`, and `publicUrl` if pages are on another host.",
    weight: "must",
  },
  inside: {
    holds: "Webhooks and logos do not reach private addresses.",
    mend: "A partner could reach services behind your firewall. Remove `privateWebhooks` and `privateLogos`.",
    weight: "must",
  },
  callers: {
    holds: "Calls are limited, and callers are distinguished.",
    mend: "Set `rateLimit`, and `proxyHeader` to the header in which your proxy names the caller.",
    weight: "choice",
  },
  screening: {
    holds: "Forbidden addresses are listed.",
    mend: "The law may require that no money comes from or goes to them. Name the list in `denyList`, and decide about one that was refused: `florin screening show`.",
    weight: "choice",
  },
  names: {
    holds: "Merchant names that resemble another partner's need your approval.",
    mend: "Payers trust your host, and a merchant may take another's name. Set `approveMerchants` if partners let strangers become merchants.",
    weight: "choice",
  },
  treasury: {
    holds: "Your own money can leave, and only to accounts that you list.",
    mend: "Without `treasury` or `sweep` your fees stay on hot accounts. List a cold account.",
    weight: "choice",
  },
  sweep: {
    holds: "Hot accounts keep no more of your money than they need.",
    mend: "A thief who takes a key takes everything on the account. Set `sweep` and `hotMax`.",
    weight: "choice",
  },
  books: {
    holds: "Workers compare ledger and live chains, and these agree.",
    mend: "Set `reconcileMinutes`, and check `florin reconcile`. Money on its way makes a difference for seconds.",
    weight: "must",
  },
  credit: {
    holds: "No partner has unlimited credit for live payments.",
    mend: "A partner could pay its own merchant, request the refund, and empty your float. Grant an amount: `florin partners change <partnerId> --credit <credit>`. If you take a fee, some credit is useful: the refund of a whole payment takes as much as the fee from the merchant's other shares, then from credit, and waits without either.",
    weight: "choice",
  },
  stuck: {
    holds: "No live money is held.",
    mend: "`florin stuck` shows which and why; `florin payouts retry <payoutId>` sends it again.",
    weight: "must",
  },
  backup: {
    holds: "You restored a backup once, and compared the books.",
    mend: "See docs/operations.md, section 7. Keep the vault key apart from the database's backups.",
    weight: "yours",
  },
  alarm: {
    holds: "Somebody is notified when `/readyz` fails or the log has an error.",
    mend: "See docs/operations.md, section 3.",
    weight: "yours",
  },
  alerts: {
    holds: "You are notified of everything that needs you.",
    mend: "Set `alertUrl`, and test it with `florin alerts test`; or use Prometheus (docs/observability.md).",
    weight: "choice",
  },
  trial: {
    holds: "A small payment was paid, paid out and refunded on every chain.",
    mend: "Use real tokens, and a wallet that your payers use.",
    weight: "yours",
  },
} as const satisfies { readonly [name: string]: Row }

export type Item = keyof typeof rows

/** The result for an item, with what is wrong if it does not hold; null if it was not checked. */
export interface Finding {
  readonly item: Item
  readonly holds: boolean | null
  /** The findings: an account, a chain, a figure. */
  readonly seen: ReadonlyArray<string>
  /** Whether it could not be checked because something else is missing. */
  readonly isWaiting?: boolean
}

export const reportChecked = (item: Item, wrong: ReadonlyArray<string>): Finding => ({
  item,
  holds: wrong.length === 0,
  seen: wrong,
})

export const reportUnchecked = (item: Item, ...why: ReadonlyArray<string>): Finding => ({
  item,
  holds: null,
  seen: why,
})

/** An item that cannot be checked before something else is there. */
export const reportWaiting = (item: Item, missing: string): Finding => ({
  ...reportUnchecked(item, missing),
  isWaiting: true,
})

const joined = (item: Item, found: ReadonlyArray<Finding>): Finding => {
  const wrong = found.filter(({ holds }) => holds === false)
  if (wrong.length > 0)
    return reportChecked(
      item,
      wrong.flatMap(({ seen }) => seen),
    )
  const seen = found.flatMap((each) => each.seen)
  if (found.length > 0 && found.every(({ holds }) => holds === true)) {
    return { item, holds: true, seen }
  }
  const isWaiting = found.some((each) => each.isWaiting)
  return { item, holds: null, seen, ...(isWaiting && { isWaiting }) }
}

/** One finding for each item, which holds if it holds wherever it was checked. */
export const join = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  Struct.keys(rows).map((item) =>
    joined(
      item,
      findings.filter((each) => each.item === item),
    ),
  )

const plain = (text: string): string => text.replaceAll(/(`florin [^`]*`)|`/gu, "$1")

/** A finding as people read it. Its verdict: nothing to do, mend it, decide whether it is intended, or check it yourself. */
export const toCheck = ({ holds, item, seen }: Finding) => {
  const { holds: condition, mend, weight } = rows[item]
  const verdict =
    holds === true ? "ok" : holds === null ? "look" : weight === "must" ? "mend" : "decide"
  return { item, verdict, holds: plain(condition), seen, mend: plain(mend) } as const
}

const isItem = (name: string): name is Item => Object.hasOwn(rows, name)

/** The findings of a service. A newer one may check more. */
export const fromChecks = (
  checks: ReadonlyArray<{
    readonly item: string
    readonly seen: ReadonlyArray<string>
    readonly verdict: "ok" | "mend" | "decide" | "look"
  }>,
): ReadonlyArray<Finding> =>
  checks.flatMap(({ item, seen, verdict }) =>
    isItem(item) ? [{ item, seen, holds: verdict === "look" ? null : verdict === "ok" }] : [],
  )
