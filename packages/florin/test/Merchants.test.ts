import { assert, describe, it } from "@effect/vitest"
import * as Beside from "./beside.ts"

const beside = Beside.dev()

const merchants = (...args: ReadonlyArray<string>) => beside.run("merchants", ...args)

const asset = "eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"
const destination = "eip155:8453:0x2222222222222222222222222222222222222222"

describe("florin merchants", () => {
  it(
    "creates, changes, lists, shows and deletes a merchant",
    { timeout: Beside.timeout },
    async () => {
      const created = await merchants("create", "--name", "Tea Room", "--email", "a@tea.example")
      const [, id = ""] = /✓ (\S+)/u.exec(created) ?? []
      assert.include(created, `florin merchants settlements add ${id}`)
      const list = await merchants("list", "--search", "Tea")
      assert.match(list, new RegExp(`Tea Room +a@tea\\.example +active +${id}\n`, "u"))
      assert.include(await merchants("list", "--limit", "1"), "There are more: add --limit")

      await merchants(
        "update",
        id,
        "--name",
        "Tea House",
        "--icon-url",
        "https://tea.example/i.png",
      )
      const changed = await merchants("show", id)
      assert.match(changed, /name +Tea House\n/u)
      assert.match(changed, /email +a@tea\.example\n/u)
      assert.include(changed, "https://tea.example/i.png")
      await merchants("update", id, "--no-icon")
      assert.match(await merchants("show", id), /icon +none\n/u)
      assert.include(await beside.fails(2, "merchants", "update", id), "nothing to change")

      assert.include(await merchants("delete", id), `${id} takes no new payments`)
      const refused = ["--amount", "1 USD", "--reference", "tea", "--merchant", id]
      assert.include(
        await beside.fails(1, "payments", "create", ...refused),
        "creating the payment: ",
      )
    },
  )

  it(
    "says where a merchant's money goes, and takes it back",
    { timeout: Beside.timeout },
    async () => {
      const { merchant } = await beside.partner().merchants.create({
        merchantName: "Book Shop",
        merchantEmail: "b@books.example",
      })
      const listed = () => beside.partner().settlements.list(merchant.id)
      await merchants("settlements", "add", merchant.id, asset, destination)
      const { crypto } = await listed()
      assert.deepStrictEqual(
        crypto.map((each) => each.destination),
        [destination],
      )
      const id = crypto[0]?.id ?? ""
      const shown = await merchants("show", merchant.id)
      assert.include(shown, id)
      assert.include(shown, destination)
      await merchants("settlements", "remove", merchant.id, id)
      assert.deepStrictEqual((await listed()).crypto, [])
      assert.include(await merchants("settlements", "list", merchant.id), "No destinations")
      const wrong = ["settlements", "add", merchant.id, asset, "nowhere"]
      assert.include(await beside.fails(1, "merchants", ...wrong), "registering the destination: ")
    },
  )
})
