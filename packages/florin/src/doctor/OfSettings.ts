/**
 * Checks the settings of `florin serve` on their own.
 *
 * @module
 */
import { isIP } from "node:net"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Checklist from "@florin/core/engine/status/Checklist"
import * as Evm from "@florin/evm/Evm"
import type * as Configured from "../serve/Configured.ts"
import * as Prices from "../serve/Prices.ts"
import type * as Settings from "../serve/Settings.ts"
import * as VaultKey from "../serve/VaultKey.ts"

const { reportChecked, reportUnchecked, reportWaiting } = Checklist

type Wrong = ReadonlyArray<string>

/** A sentence if the condition does not hold. */
const where = (isWrong: boolean, says: string): Wrong => (isWrong ? [says] : [])

/** Names that only one machine or one network can resolve. */
const isPrivate = (host: string): boolean =>
  isIP(host.replace(/^\[|\]$/gu, "")) !== 0 ||
  !host.includes(".") ||
  /\.(?:localhost|local|internal|test)$/u.test(host)

const hostWrong = ({ payLinkHost, publicUrl }: Settings.Values): Wrong => [
  ...where(
    payLinkHost === null || isPrivate(payLinkHost),
    `payLinkHost is ${payLinkHost ?? "not set"}`,
  ),
  ...where(
    publicUrl !== null &&
      (!publicUrl.startsWith("https:") || isPrivate(new URL(publicUrl).hostname)),
    `publicUrl is ${publicUrl}`,
  ),
]

const liveChains = ({ rpc }: Settings.Values): ReadonlyArray<Caip.ChainId> => [
  ...new Set(rpc.map(({ chainId }) => chainId)),
]

const hostsWrong = (values: Settings.Values): Wrong =>
  liveChains(values).flatMap((chainId) => {
    const urls = values.rpc.filter((node) => node.chainId === chainId).map(({ url }) => url)
    return where(Evm.countHosts(urls) < 2, `${chainId} has nodes of one host`)
  })

/** Finds a seal key that is also a vault key. */
const secretsWrong = ({ sealKey, vaultKey }: Settings.Values): Wrong => {
  const vault = new Set(vaultKey.map(({ id }) => id))
  return where(
    sealKey.some((bytes) => vault.has(VaultKey.make(bytes).id)),
    "they are the same key",
  )
}

const reachesInside = ({ privateLogos, privateWebhooks }: Settings.Values): Wrong => [
  ...where(privateWebhooks, "privateWebhooks is on"),
  ...where(privateLogos, "privateLogos is on"),
]

const callersWrong = ({ proxyHeader, rateLimit }: Settings.Values): Wrong => [
  ...where(rateLimit === null, "rateLimit is 0"),
  ...where(
    proxyHeader === null,
    "proxyHeader is not set, so all callers behind a proxy count as one",
  ),
]

export const findings = ({
  assets,
  live,
  place,
  values,
}: Configured.Configured): ReadonlyArray<Checklist.Finding> => {
  const chainIds = liveChains(values)
  const plainKeys = values.relayerKeys.length
  const accounts = values.relayers.length + values.signers.length + plainKeys
  const none = "no live chain is configured"
  return [
    reportChecked(
      "database",
      where(place._tag !== "Server", `storage is ${place._tag.toLowerCase()}`),
    ),
    reportChecked("live", where(chainIds.length === 0, "rpc is empty")),
    ...(chainIds.length === 0
      ? (["hosts", "spending", "gasPrice"] as const).map((item) => reportWaiting(item, none))
      : [
          reportChecked("hosts", hostsWrong(values)),
          reportChecked(
            "spending",
            live.chains.flatMap(({ chainId, spendPerHour }) =>
              where(spendPerHour === undefined, `eip155:${chainId} has no limit`),
            ),
          ),
          reportChecked(
            "gasPrice",
            Prices.unpriced(values, assets.catalog).map((coin) => `no source prices ${coin}`),
          ),
        ]),
    reportChecked("keys", [
      ...where(values.role === "all", "this process serves calls and runs workers (role all)"),
      ...where(values.role === "api" && plainKeys > 0, "relayerKeys are given to role api"),
    ]),
    values.role === "api"
      ? reportUnchecked("signers", "run this command with the settings of a worker")
      : accounts === 0
        ? reportWaiting("signers", "no live account is configured")
        : reportChecked("signers", where(plainKeys > 0, `relayerKeys has ${plainKeys}`)),
    reportChecked("secrets", secretsWrong(values)),
    reportChecked("host", hostWrong(values)),
    reportChecked("inside", reachesInside(values)),
    reportChecked("callers", callersWrong(values)),
    reportChecked("screening", where(values.denyList === null, "denyList is not set")),
    reportChecked("names", where(values.approveMerchants === "never", "approveMerchants is never")),
    reportChecked(
      "treasury",
      where(values.treasury.length + values.sweep.length === 0, "treasury and sweep are empty"),
    ),
    reportChecked("alerts", where(values.alertUrl === null, "alertUrl is not set")),
    reportChecked("books", where(values.reconcileMinutes === 0, "reconcileMinutes is 0")),
    reportChecked("sweep", where(values.hotMax === null, "hotMax is not set")),
  ]
}
