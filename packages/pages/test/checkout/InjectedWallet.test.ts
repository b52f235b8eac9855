import { assert, describe, it, onTestFinished, vi } from "@effect/vitest"
import * as InjectedWallet from "../../src/checkout/InjectedWallet.ts"
import { address, base, fakeWallet, walletError } from "./Fixtures.ts"

const { provider } = fakeWallet().wallet
const info = { uuid: "1", name: "Foxglove", rdns: "example.foxglove", icon: "data:image/png,x" }

describe("InjectedWallet.read", () => {
  it("reads an announcement", () => {
    assert.deepStrictEqual(InjectedWallet.read({ info, provider }), {
      id: "example.foxglove",
      name: "Foxglove",
      icon: "data:image/png,x",
      provider,
    })
  })

  it("ignores other events, and an icon that would be loaded from elsewhere", () => {
    for (const detail of [
      undefined,
      null,
      {},
      { info },
      { info, provider: {} },
      { info: { ...info, name: " " }, provider },
      { info: { ...info, rdns: 1 }, provider },
    ]) {
      assert.isUndefined(InjectedWallet.read(detail))
    }
    const remote = { info: { ...info, icon: "https://wallet.example/i.png" }, provider }
    assert.isUndefined(InjectedWallet.read(remote)?.icon)
  })

  it("cuts a name that is too long", () => {
    const long = InjectedWallet.read({ info: { ...info, name: "😀".repeat(99) }, provider })
    assert.strictEqual(long?.name, "😀".repeat(40))
  })
})

describe("InjectedWallet.discover", () => {
  it("requests announcements, receives them, and stops", () => {
    const target = new EventTarget()
    const announce = () =>
      target.dispatchEvent(
        new CustomEvent("eip6963:announceProvider", { detail: { info, provider } }),
      )
    target.addEventListener("eip6963:requestProvider", announce)
    const found: Array<string> = []
    const stop = InjectedWallet.discover(target, "Browser wallet", ({ name }) => found.push(name))
    assert.deepStrictEqual(found, ["Foxglove"])
    stop()
    announce()
    assert.deepStrictEqual(found, ["Foxglove"])
  })
})

describe("a browser whose wallet does not announce itself", () => {
  const within = async (target: EventTarget) => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const found: Array<string> = []
    InjectedWallet.discover(target, "Browser wallet", ({ name }) => found.push(name))
    await vi.runAllTimersAsync()
    return found
  }
  const ethereum = { request: () => Promise.resolve(null) }

  it("uses the injected wallet without a name", async () => {
    const target = Object.assign(new EventTarget(), { ethereum })
    assert.deepStrictEqual(await within(target), ["Browser wallet"])
  })

  it("has none if there is none, or if a wallet announced itself", async () => {
    assert.deepStrictEqual(await within(new EventTarget()), [])
    assert.deepStrictEqual(
      await within(Object.assign(new EventTarget(), { ethereum: { request: 1 } })),
      [],
    )
    const target = Object.assign(new EventTarget(), { ethereum })
    target.addEventListener("eip6963:requestProvider", () =>
      target.dispatchEvent(
        new CustomEvent("eip6963:announceProvider", { detail: { info, provider } }),
      ),
    )
    assert.deepStrictEqual(await within(target), ["Foxglove"])
  })
})

describe("InjectedWallet.accounts", () => {
  it("contains every address on every chain", async () => {
    const wallet = fakeWallet({ eth_accounts: () => [address, "0x12", 7, null] })
    const held = await InjectedWallet.addresses(wallet.wallet.provider, true)
    assert.deepStrictEqual(held, [address])
    assert.deepStrictEqual(InjectedWallet.accounts(held, new Set(["eip155:1", base])), [
      `eip155:1:${address}`,
      `${base}:${address}`,
    ])
  })
})

describe("InjectedWallet.signer", () => {
  const request = {
    chainId: base,
    method: "eth_signTypedData_v4",
    params: [address, "{}"],
  } as const

  it("switches to the step's chain, only if necessary", async () => {
    const { wallet, asked } = fakeWallet()
    const signer = InjectedWallet.signer(wallet.provider, () => undefined)
    await signer.request(request)
    const first = [
      "eth_chainId",
      "wallet_switchEthereumChain",
      "eth_chainId",
      "eth_signTypedData_v4",
    ]
    assert.deepStrictEqual(asked, first)
    assert.strictEqual(await signer.request(request), "0x51")
    assert.deepStrictEqual(asked, [...first, "eth_chainId", "eth_signTypedData_v4"])
  })

  it("sends nothing after the offer expired, but still signs", async () => {
    const { wallet, asked } = fakeWallet()
    const signer = InjectedWallet.signer(wallet.provider, () => "attempt")
    const transaction = { from: address, to: address, data: "0x" }
    const error = await signer
      .request({ chainId: base, method: "eth_sendTransaction", params: [transaction] })
      .catch((thrown: unknown) => thrown)
    assert.instanceOf(error, InjectedWallet.TooLate)
    assert.notInclude(asked, "eth_sendTransaction")
    assert.strictEqual(await signer.request(request), "0x51")
  })

  it.each([
    ["does not know the chain", () => Promise.reject(walletError(4902))],
    ["is told not to change", () => Promise.reject(walletError(4001))],
    ["agrees and stays where it is", () => null],
  ])("signs nothing with a wallet that %s", async (_, answer) => {
    const { wallet, asked } = fakeWallet({ wallet_switchEthereumChain: answer })
    const error = await InjectedWallet.signer(wallet.provider, () => undefined)
      .request(request)
      .catch((thrown: unknown) => thrown)
    assert.instanceOf(error, InjectedWallet.WrongNetwork)
    assert.notInclude(asked, "eth_signTypedData_v4")
  })
})

describe("InjectedWallet.codeOf", () => {
  it("finds the error code, also inside the errors of some wallets", () => {
    assert.strictEqual(InjectedWallet.codeOf(walletError(4001)), 4001)
    const wrapped = { code: -32_603, data: { originalError: { code: 4902 } } }
    assert.strictEqual(InjectedWallet.codeOf(wrapped), 4902)
    assert.isUndefined(InjectedWallet.codeOf("no"))
  })
})
