/**
 * What the real server answered to the requests of a story. Written by `pnpm generate` from scripts/examples.ts: edit
 * that instead.
 *
 * @module
 */
import type * as Version from "@florin/core/domain/Version"
import type * as Schema from "effect/Schema"

export interface Example {
  /** The operation's id in the document, or `*` where it may be any. */
  readonly operation: string
  readonly name: string
  readonly summary: string
  /** The first version that has it, where that is not the first of all. */
  readonly since?: Version.Version
  /** The body that was sent, where one was. */
  readonly request?: Schema.Json
  readonly status: number
  readonly response: Schema.Json
}

export const all: ReadonlyArray<Example> = [
  {
    operation: "*",
    name: "missing_api_key",
    summary: "Without a key",
    status: 401,
    response: {
      code: "missing_api_key",
      message: "send your key in the Api-Key header",
      requestId: "req_HMbekqiZlVnY1",
    },
  },
  {
    operation: "*",
    name: "invalid_api_key",
    summary: "With a key that is none",
    status: 401,
    response: {
      code: "invalid_api_key",
      message: "the Api-Key is unknown, expired or revoked: use a current one",
      requestId: "req_HMbekqiZlVnY2",
    },
  },
  {
    operation: "*",
    name: "forbidden",
    summary: "With a wallet's key",
    status: 403,
    response: {
      code: "forbidden",
      message: "this is a wallet's key: call the partner interface with a partner's key",
      requestId: "req_HMbekqiZlVnY3",
    },
  },
  {
    operation: "*",
    name: "invalid_api_version",
    summary: "A version that is no date",
    status: 400,
    response: {
      code: "invalid_api_version",
      message: "a version is a date, 2026-02-18, with .preview behind a preview",
      requestId: "req_HMbekqiZlVnY4",
    },
  },
  {
    operation: "*",
    name: "unknown_api_version",
    summary: "A version that was never published",
    status: 400,
    response: {
      code: "unknown_api_version",
      message: "this version does not exist: use one of 2026-02-18, 2026-02-19.preview",
      requestId: "req_HMbekqiZlVnY5",
    },
  },
  {
    operation: "merchants.create",
    name: "created",
    summary: "A merchant",
    request: {
      merchantName: "Blue Door Coffee",
      merchantEmail: "till@bluedoor.example",
      iconUrl: "https://bluedoor.example/icon.png",
    },
    status: 201,
    response: {
      merchant: {
        id: "mrch_0VVrda1wjJyTiYdOH1quj82JL7Za0X",
        name: "Blue Door Coffee",
        email: "till@bluedoor.example",
        iconUrl: "https://bluedoor.example/icon.png",
        status: "active",
        createdAt: "2026-09-21T14:13:20.000Z",
      },
    },
  },
  {
    operation: "merchants.create",
    name: "missing_idempotency_key",
    summary: "Without an Idempotency-Key",
    request: { merchantName: "Blue Door Coffee", merchantEmail: "till@bluedoor.example" },
    status: 400,
    response: {
      code: "missing_idempotency_key",
      message: "send an Idempotency-Key: one for each new object",
      requestId: "req_HMbekqiZlVnY7",
    },
  },
  {
    operation: "merchants.create",
    name: "params_validation",
    summary: "Fields that are wrong",
    request: {
      merchantName: "",
      merchantEmail: "till",
      iconUrl: "http://bluedoor.example/icon.png",
    },
    status: 400,
    response: {
      code: "params_validation",
      message:
        "merchantName: must have 1 to 256 characters; merchantEmail: must be an email address, such as shop@example.com; iconUrl: a URL must begin with https://",
      requestId: "req_HMbekqiZlVnY8",
      issues: [
        { field: "merchantName", message: "must have 1 to 256 characters" },
        { field: "merchantEmail", message: "must be an email address, such as shop@example.com" },
        { field: "iconUrl", message: "a URL must begin with https://" },
      ],
    },
  },
  {
    operation: "merchants.create",
    name: "idempotency_conflict",
    summary: "Another body under the same key",
    request: { merchantName: "Red Door Coffee", merchantEmail: "till@bluedoor.example" },
    status: 409,
    response: {
      code: "idempotency_conflict",
      message: "this Idempotency-Key was used for another request: use a new one",
      requestId: "req_HMbekqiZlVnY9",
    },
  },
  {
    operation: "*",
    name: "unsupported_media_type",
    summary: "A body that is not JSON",
    status: 415,
    response: {
      code: "unsupported_media_type",
      message: "send the body as JSON in UTF-8: Content-Type: application/json",
      requestId: "req_HMbekqiZlVnYa",
    },
  },
  {
    operation: "*",
    name: "payload_too_large",
    summary: "A body that is too large",
    status: 413,
    response: {
      code: "payload_too_large",
      message: "the body is longer than 262144 bytes",
      requestId: "req_HMbekqiZlVnYb",
    },
  },
  {
    operation: "merchants.update",
    name: "updated",
    summary: "A new address, and no icon any more",
    request: { merchantEmail: "hello@bluedoor.example", iconUrl: null },
    status: 200,
    response: {
      merchant: {
        id: "mrch_0VVrda1wjJyTiYdOH1quj82JL7Za0X",
        name: "Blue Door Coffee",
        email: "hello@bluedoor.example",
        iconUrl: null,
        status: "active",
        createdAt: "2026-09-21T14:13:20.000Z",
      },
    },
  },
  {
    operation: "merchants.update",
    name: "params_validation",
    summary: "Nothing to change",
    request: {},
    status: 400,
    response: {
      code: "params_validation",
      message: "body: must hold at least one of merchantName, merchantEmail and iconUrl",
      requestId: "req_HMbekqiZlVnYd",
      issues: [
        {
          field: "body",
          message: "must hold at least one of merchantName, merchantEmail and iconUrl",
        },
      ],
    },
  },
  {
    operation: "merchants.get",
    name: "not_found",
    summary: "Somebody else's merchant",
    status: 404,
    response: {
      code: "not_found",
      message: "there is no such merchant",
      requestId: "req_HMbekqiZlVnYe",
    },
  },
  {
    operation: "settlements.create",
    name: "created",
    summary: "Two destinations, both or none",
    request: {
      settlements: [
        {
          asset: "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
          destination: "eip155:8453:0xF1a33307189FDa3128d7c42C5C033bA44f8B8C48",
        },
        {
          asset: "eip155:1/erc20:0xdAC17F958D2ee523a2206206994597C13D831ec7",
          destination: "eip155:1:0xF1a33307189FDa3128d7c42C5C033bA44f8B8C48",
        },
      ],
    },
    status: 201,
    response: {
      settlements: [
        {
          id: "crypto_0VVrda1w4BZW317m4XJYOv3zKy2jTl",
          asset: "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
          destination: "eip155:8453:0xF1a33307189FDa3128d7c42C5C033bA44f8B8C48",
        },
        {
          id: "crypto_0VVrda1wHXqZZ2ChLDvwCnUCwuoXBn",
          asset: "eip155:1/erc20:0xdAC17F958D2ee523a2206206994597C13D831ec7",
          destination: "eip155:1:0xF1a33307189FDa3128d7c42C5C033bA44f8B8C48",
        },
      ],
    },
  },
  {
    operation: "settlements.create",
    name: "params_validation",
    summary: "A destination on another chain",
    request: {
      settlements: [
        {
          asset: "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
          destination: "eip155:1:0xF1a33307189FDa3128d7c42C5C033bA44f8B8C48",
        },
      ],
    },
    status: 400,
    response: {
      code: "params_validation",
      message:
        "settlements[0].destination: the destination must be on the asset's chain, eip155:8453",
      requestId: "req_HMbekqiZlVnYg",
      issues: [
        {
          field: "settlements[0].destination",
          message: "the destination must be on the asset's chain, eip155:8453",
        },
      ],
    },
  },
  {
    operation: "settlements.create",
    name: "settlement_asset_conflict",
    summary: "An asset that has its destination already",
    request: {
      settlements: [
        {
          asset: "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
          destination: "eip155:8453:0xF1a33307189FDa3128d7c42C5C033bA44f8B8C48",
        },
      ],
    },
    status: 409,
    response: {
      code: "settlement_asset_conflict",
      message: "the merchant already has a destination for this asset: change that one instead",
      requestId: "req_HMbekqiZlVnYh",
    },
  },
  {
    operation: "settlements.change",
    name: "changed",
    summary: "Another destination",
    request: { destination: "eip155:1:0x006B0C86Efe2722505270C4eA20d084Fb5AF4193" },
    status: 200,
    response: {
      id: "crypto_0VVrda1wHXqZZ2ChLDvwCnUCwuoXBn",
      asset: "eip155:1/erc20:0xdAC17F958D2ee523a2206206994597C13D831ec7",
      destination: "eip155:1:0x006B0C86Efe2722505270C4eA20d084Fb5AF4193",
    },
  },
  {
    operation: "settlements.remove",
    name: "removed",
    summary: "One destination fewer",
    status: 200,
    response: { id: "crypto_0VVrda1wHXqZZ2ChLDvwCnUCwuoXBn", deleted: true },
  },
  {
    operation: "settlements.list",
    name: "listed",
    summary: "Every destination",
    status: 200,
    response: {
      crypto: [
        {
          id: "crypto_0VVrda1w4BZW317m4XJYOv3zKy2jTl",
          asset: "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
          destination: "eip155:8453:0xF1a33307189FDa3128d7c42C5C033bA44f8B8C48",
        },
      ],
      fiat: [],
    },
  },
  {
    operation: "merchants.list",
    name: "listed",
    summary: "Merchants with `door` in their name",
    status: 200,
    response: {
      merchants: [
        {
          id: "mrch_0VVrda1wjJyTiYdOH1quj82JL7Za0X",
          name: "Blue Door Coffee",
          email: "hello@bluedoor.example",
          iconUrl: null,
          status: "active",
          createdAt: "2026-09-21T14:13:20.000Z",
        },
      ],
      totalCount: 1,
      nextCursor: null,
    },
  },
  {
    operation: "merchants.get",
    name: "found",
    summary: "A merchant and its settlements",
    status: 200,
    response: {
      merchant: {
        id: "mrch_0VVrda1wjJyTiYdOH1quj82JL7Za0X",
        name: "Blue Door Coffee",
        email: "hello@bluedoor.example",
        iconUrl: null,
        status: "active",
        createdAt: "2026-09-21T14:13:20.000Z",
        settlements: {
          crypto: [
            {
              id: "crypto_0VVrda1w4BZW317m4XJYOv3zKy2jTl",
              asset: "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
              destination: "eip155:8453:0xF1a33307189FDa3128d7c42C5C033bA44f8B8C48",
            },
          ],
          fiat: [],
        },
      },
    },
  },
  {
    operation: "payments.create",
    name: "created",
    summary: "12.34 USD for an order",
    request: {
      referenceId: "ORDER-7",
      amount: { unit: "iso4217/USD", value: "1234" },
      metadata: { cart: "6735" },
    },
    status: 201,
    response: {
      paymentId: "pay_0VVrda1wbei4m2c9puiY5OqUG6u46M",
      status: "requires_action",
      expiresAt: 1790000300,
      isFinal: false,
      pollInMs: 1000,
      gatewayUrl: "https://pay.example.com/?pid=pay_0VVrda1wbei4m2c9puiY5OqUG6u46M",
      metadata: { cart: "6735" },
    },
  },
  {
    operation: "payments.create",
    name: "checkout",
    summary: "With where the payer's browser goes afterwards",
    since: "2026-02-19.preview",
    request: {
      referenceId: "ORDER-8",
      amount: { unit: "iso4217/USD", value: "1234" },
      metadata: { cart: "6735" },
      checkout: {
        successUrl: "https://bluedoor.example/thanks",
        errorUrl: "https://bluedoor.example/sorry",
      },
    },
    status: 201,
    response: {
      paymentId: "pay_0VVrda1wUcX9DWY2BsCRsgigUyKjcL",
      status: "requires_action",
      expiresAt: 1790000300,
      isFinal: false,
      pollInMs: 1000,
      gatewayUrl: "https://pay.example.com/?pid=pay_0VVrda1wUcX9DWY2BsCRsgigUyKjcL",
      metadata: { cart: "6735" },
    },
  },
  {
    operation: "payments.createAlias",
    name: "created",
    summary: "Under the old path",
    request: {
      referenceId: "ORDER-8b",
      amount: { unit: "iso4217/USD", value: "1234" },
      metadata: { cart: "6735" },
    },
    status: 201,
    response: {
      paymentId: "pay_0VVrda1wpXr7FuMuy22ZOhwyQ2poQX",
      status: "requires_action",
      expiresAt: 1790000300,
      isFinal: false,
      pollInMs: 1000,
      gatewayUrl: "https://pay.example.com/?pid=pay_0VVrda1wpXr7FuMuy22ZOhwyQ2poQX",
      metadata: { cart: "6735" },
    },
  },
  {
    operation: "payments.create",
    name: "params_validation",
    summary: "An amount of nothing",
    request: {
      referenceId: "ORDER-7",
      amount: { unit: "iso4217/USD", value: "0" },
      metadata: { cart: "6735" },
    },
    status: 400,
    response: {
      code: "params_validation",
      message: "amount.value: must be more than zero",
      requestId: "req_HMbekqiZlVnYq",
      issues: [{ field: "amount.value", message: "must be more than zero" }],
    },
  },
  {
    operation: "payments.create",
    name: "merchant_not_found",
    summary: "A merchant that is not there",
    request: {
      referenceId: "ORDER-7",
      amount: { unit: "iso4217/USD", value: "1234" },
      metadata: { cart: "6735" },
    },
    status: 404,
    response: {
      code: "merchant_not_found",
      message: "there is no such merchant, or it takes no payments",
      requestId: "req_HMbekqiZlVnYr",
    },
  },
  {
    operation: "gateway.get",
    name: "found",
    summary: "Before it is paid",
    status: 200,
    response: {
      amount: {
        unit: "iso4217/USD",
        value: "1234",
        display: {
          assetName: "US Dollar",
          assetSymbol: "USD",
          decimals: 2,
          iconUrl: "https://pay.example.com/icons/usd.svg",
        },
      },
      buyer: null,
      expiresAt: 1790000300,
      merchant: { name: "Blue Door Coffee" },
      status: "requires_action",
    },
  },
  {
    operation: "gateway.get",
    name: "payment_not_found",
    summary: "A payment that is not there",
    status: 404,
    response: {
      code: "payment_not_found",
      message: "there is no such payment",
      requestId: "req_HMbekqiZlVnYt",
    },
  },
  {
    operation: "gateway.options",
    name: "offered",
    summary: "Two accounts that can pay",
    request: {
      accounts: [
        "eip155:8453:0x006B0C86Efe2722505270C4eA20d084Fb5AF4193",
        "eip155:56:0x006B0C86Efe2722505270C4eA20d084Fb5AF4193",
      ],
    },
    status: 200,
    response: {
      options: [
        {
          id: "3wSNEJye3nAgr1sXCAH3GwIAB2VpcDMwMDkAInBheV8wVlZyZGExd2JlaTRtMmM5cHVpWTVPcVVHNnU0Nk0AC2VpcDE1NTo4NDUzgBQAawyG7-JyJQUnDE6iDQhPta9BkwUgASBMAIAUgzWJ_NbttuCPTHwy1PcbVL2gKROAFC0t3iOCJDp5W7Xe1FvvfNxGF7rwAGqxO4AAarE8rAO8SyADAYag",
          account: "eip155:8453:0x006B0C86Efe2722505270C4eA20d084Fb5AF4193",
          actions: [
            {
              type: "walletRpc",
              data: {
                chain_id: "eip155:8453",
                method: "eth_signTypedData_v4",
                params: [
                  "0x006b0c86efe2722505270c4ea20d084fb5af4193",
                  '{"domain":{"name":"USD Coin","version":"2","chainId":"8453","verifyingContract":"0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"},"types":{"EIP712Domain":[{"name":"name","type":"string"},{"name":"version","type":"string"},{"name":"chainId","type":"uint256"},{"name":"verifyingContract","type":"address"}],"ReceiveWithAuthorization":[{"name":"from","type":"address"},{"name":"to","type":"address"},{"name":"value","type":"uint256"},{"name":"validAfter","type":"uint256"},{"name":"validBefore","type":"uint256"},{"name":"nonce","type":"bytes32"}]},"primaryType":"ReceiveWithAuthorization","message":{"from":"0x006b0c86efe2722505270c4ea20d084fb5af4193","to":"0x2d2dde2382243a795bb5ded45bef7cdc4617baf0","value":"12340000","validAfter":"0","validBefore":"1790000600","nonce":"0x8262f21c5411b9f75190b69a6a76df0023cc6555a526a67d1bd7d06c1b91c8af"}}',
                ],
              },
            },
          ],
          amount: {
            unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
            value: "12340000",
            display: {
              assetName: "USD Coin",
              assetSymbol: "USDC",
              decimals: 6,
              iconUrl: "https://pay.example.com/icons/usdc.svg",
              networkName: "Base",
              networkIconUrl: "https://pay.example.com/icons/base.svg",
            },
          },
          collectData: null,
          etaS: 30,
          expiresAt: 1790000300,
        },
        {
          id: "VLSwh3r0EndsLZrNbZCEbAIAB3Blcm1pdDIAInBheV8wVlZyZGExd2JlaTRtMmM5cHVpWTVPcVVHNnU0Nk0ACWVpcDE1NTo1NoAUAGsMhu_iciUFJwxOog0IT7WvQZMFIAEgTACAFFXTmDJvmQWf93VIUkaZkCezGXlVgBQtLd4jgiQ6eVu13tRb73zcRhe68ABqsTuAAGqxPKwIq0B8nrBSAAAIAWNFeF2KAAA",
          account: "eip155:56:0x006B0C86Efe2722505270C4eA20d084Fb5AF4193",
          actions: [
            {
              type: "build",
              data: "7b22636861696e5f6964223a226569703135353a3536222c226d6574686f64223a226574685f7369676e5479706564446174615f7634222c22706172616d73223a5b22307830303662306338366566653237323235303532373063346561323064303834666235616634313933222c227b5c22646f6d61696e5c223a7b5c226e616d655c223a5c225065726d6974325c222c5c22636861696e49645c223a5c2235365c222c5c22766572696679696e67436f6e74726163745c223a5c223078303030303030303030303232643437333033306631313664646565396636623433616337386261335c227d2c5c2274797065735c223a7b5c22454950373132446f6d61696e5c223a5b7b5c226e616d655c223a5c226e616d655c222c5c22747970655c223a5c22737472696e675c227d2c7b5c226e616d655c223a5c22636861696e49645c222c5c22747970655c223a5c2275696e743235365c227d2c7b5c226e616d655c223a5c22766572696679696e67436f6e74726163745c222c5c22747970655c223a5c22616464726573735c227d5d2c5c225065726d69745472616e7366657246726f6d5c223a5b7b5c226e616d655c223a5c227065726d69747465645c222c5c22747970655c223a5c22546f6b656e5065726d697373696f6e735c227d2c7b5c226e616d655c223a5c227370656e6465725c222c5c22747970655c223a5c22616464726573735c227d2c7b5c226e616d655c223a5c226e6f6e63655c222c5c22747970655c223a5c2275696e743235365c227d2c7b5c226e616d655c223a5c22646561646c696e655c222c5c22747970655c223a5c2275696e743235365c227d5d2c5c22546f6b656e5065726d697373696f6e735c223a5b7b5c226e616d655c223a5c22746f6b656e5c222c5c22747970655c223a5c22616464726573735c227d2c7b5c226e616d655c223a5c22616d6f756e745c222c5c22747970655c223a5c2275696e743235365c227d5d7d2c5c227072696d617279547970655c223a5c225065726d69745472616e7366657246726f6d5c222c5c226d6573736167655c223a7b5c227065726d69747465645c223a7b5c22746f6b656e5c223a5c223078353564333938333236663939303539666637373534383532343639393930323762333139373935355c222c5c22616d6f756e745c223a5c2231323334303030303030303030303030303030305c227d2c5c227370656e6465725c223a5c223078326432646465323338323234336137393562623564656434356265663763646334363137626166305c222c5c226e6f6e63655c223a5c22323139303636323930313636323234313038333130363833303738363139363333393539383134323533323237333234303234333836313233303738353331343932333036363836343438305c222c5c22646561646c696e655c223a5c22313739303030303630305c227d7d225d7d",
            },
          ],
          amount: {
            unit: "caip19/eip155:56/erc20:0x55d398326f99059fF775485246999027B3197955",
            value: "12340000000000000000",
            display: {
              assetName: "Tether USD",
              assetSymbol: "USDT",
              decimals: 18,
              iconUrl: "https://pay.example.com/icons/usdt.svg",
              networkName: "BNB Smart Chain",
              networkIconUrl: "https://pay.example.com/icons/bsc.svg",
            },
          },
          collectData: null,
          etaS: 15,
          expiresAt: 1790000300,
        },
        {
          id: "Yh3UVzLGjnSxcmVXYA6DaQIAB3Blcm1pdDIAInBheV8wVlZyZGExd2JlaTRtMmM5cHVpWTVPcVVHNnU0Nk0ACWVpcDE1NTo1NoAUAGsMhu_iciUFJwxOog0IT7WvQZMFIAEgTACAFIrHalHMlQ2YItaLg_4a2XsyzVgNgBQtLd4jgiQ6eVu13tRb73zcRhe68ABqsTuAAGqxPKwIq0B8nrBSAAAIAWNFeF2KAAA",
          account: "eip155:56:0x006B0C86Efe2722505270C4eA20d084Fb5AF4193",
          actions: [
            {
              type: "build",
              data: "7b22636861696e5f6964223a226569703135353a3536222c226d6574686f64223a226574685f7369676e5479706564446174615f7634222c22706172616d73223a5b22307830303662306338366566653237323235303532373063346561323064303834666235616634313933222c227b5c22646f6d61696e5c223a7b5c226e616d655c223a5c225065726d6974325c222c5c22636861696e49645c223a5c2235365c222c5c22766572696679696e67436f6e74726163745c223a5c223078303030303030303030303232643437333033306631313664646565396636623433616337386261335c227d2c5c2274797065735c223a7b5c22454950373132446f6d61696e5c223a5b7b5c226e616d655c223a5c226e616d655c222c5c22747970655c223a5c22737472696e675c227d2c7b5c226e616d655c223a5c22636861696e49645c222c5c22747970655c223a5c2275696e743235365c227d2c7b5c226e616d655c223a5c22766572696679696e67436f6e74726163745c222c5c22747970655c223a5c22616464726573735c227d5d2c5c225065726d69745472616e7366657246726f6d5c223a5b7b5c226e616d655c223a5c227065726d69747465645c222c5c22747970655c223a5c22546f6b656e5065726d697373696f6e735c227d2c7b5c226e616d655c223a5c227370656e6465725c222c5c22747970655c223a5c22616464726573735c227d2c7b5c226e616d655c223a5c226e6f6e63655c222c5c22747970655c223a5c2275696e743235365c227d2c7b5c226e616d655c223a5c22646561646c696e655c222c5c22747970655c223a5c2275696e743235365c227d5d2c5c22546f6b656e5065726d697373696f6e735c223a5b7b5c226e616d655c223a5c22746f6b656e5c222c5c22747970655c223a5c22616464726573735c227d2c7b5c226e616d655c223a5c22616d6f756e745c222c5c22747970655c223a5c2275696e743235365c227d5d7d2c5c227072696d617279547970655c223a5c225065726d69745472616e7366657246726f6d5c222c5c226d6573736167655c223a7b5c227065726d69747465645c223a7b5c22746f6b656e5c223a5c223078386163373661353163633935306439383232643638623833666531616439376233326364353830645c222c5c22616d6f756e745c223a5c2231323334303030303030303030303030303030305c227d2c5c227370656e6465725c223a5c223078326432646465323338323234336137393562623564656434356265663763646334363137626166305c222c5c226e6f6e63655c223a5c2239313634383634313132323539353137353534303435333139343039363938383830363436313530353231353837313830383336393935313135393637373532333933353036313432333134355c222c5c22646561646c696e655c223a5c22313739303030303630305c227d7d225d7d",
            },
          ],
          amount: {
            unit: "caip19/eip155:56/erc20:0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d",
            value: "12340000000000000000",
            display: {
              assetName: "USD Coin",
              assetSymbol: "USDC",
              decimals: 18,
              iconUrl: "https://pay.example.com/icons/usdc.svg",
              networkName: "BNB Smart Chain",
              networkIconUrl: "https://pay.example.com/icons/bsc.svg",
            },
          },
          collectData: null,
          etaS: 15,
          expiresAt: 1790000300,
        },
      ],
      info: {
        amount: {
          unit: "iso4217/USD",
          value: "1234",
          display: {
            assetName: "US Dollar",
            assetSymbol: "USD",
            decimals: 2,
            iconUrl: "https://pay.example.com/icons/usd.svg",
          },
        },
        buyer: {
          accountCaip10: "eip155:8453:0x006B0C86Efe2722505270C4eA20d084Fb5AF4193",
          accountProviderName: "Pocket Wallet",
          accountProviderIcon: "https://wallet.example/icon.png",
        },
        expiresAt: 1790000300,
        merchant: { name: "Blue Door Coffee" },
        status: "requires_action",
      },
    },
  },
  {
    operation: "gateway.options",
    name: "params_validation",
    summary: "An account that is none",
    request: { accounts: ["0x1111111111111111111111111111111111111111"] },
    status: 400,
    response: {
      code: "params_validation",
      message: "accounts[0]: an account is <namespace>:<chain id>:<address>",
      requestId: "req_HMbekqiZlVnYv",
      issues: [{ field: "accounts[0]", message: "an account is <namespace>:<chain id>:<address>" }],
    },
  },
  {
    operation: "gateway.options",
    name: "sanctioned_user",
    summary: "Nobody of them may pay",
    request: { accounts: ["eip155:8453:0x7683747a32Ddc85C777f6D3830410D42D4616E54"] },
    status: 451,
    response: {
      code: "sanctioned_user",
      message: "payments from these accounts are not possible",
      requestId: "req_HMbekqiZlVnYw",
    },
  },
  {
    operation: "gateway.options",
    name: "bad_gateway",
    summary: "No chain answers",
    request: {
      accounts: [
        "eip155:8453:0x006B0C86Efe2722505270C4eA20d084Fb5AF4193",
        "eip155:56:0x006B0C86Efe2722505270C4eA20d084Fb5AF4193",
      ],
    },
    status: 502,
    response: {
      code: "bad_gateway",
      message: "the chain cannot be reached now: try again",
      requestId: "req_HMbekqiZlVnYx",
    },
  },
  {
    operation: "gateway.fetch",
    name: "resolved",
    summary: "An allowance first, then the signature",
    request: {
      optionId:
        "VLSwh3r0EndsLZrNbZCEbAIAB3Blcm1pdDIAInBheV8wVlZyZGExd2JlaTRtMmM5cHVpWTVPcVVHNnU0Nk0ACWVpcDE1NTo1NoAUAGsMhu_iciUFJwxOog0IT7WvQZMFIAEgTACAFFXTmDJvmQWf93VIUkaZkCezGXlVgBQtLd4jgiQ6eVu13tRb73zcRhe68ABqsTuAAGqxPKwIq0B8nrBSAAAIAWNFeF2KAAA",
      data: "7b22636861696e5f6964223a226569703135353a3536222c226d6574686f64223a226574685f7369676e5479706564446174615f7634222c22706172616d73223a5b22307830303662306338366566653237323235303532373063346561323064303834666235616634313933222c227b5c22646f6d61696e5c223a7b5c226e616d655c223a5c225065726d6974325c222c5c22636861696e49645c223a5c2235365c222c5c22766572696679696e67436f6e74726163745c223a5c223078303030303030303030303232643437333033306631313664646565396636623433616337386261335c227d2c5c2274797065735c223a7b5c22454950373132446f6d61696e5c223a5b7b5c226e616d655c223a5c226e616d655c222c5c22747970655c223a5c22737472696e675c227d2c7b5c226e616d655c223a5c22636861696e49645c222c5c22747970655c223a5c2275696e743235365c227d2c7b5c226e616d655c223a5c22766572696679696e67436f6e74726163745c222c5c22747970655c223a5c22616464726573735c227d5d2c5c225065726d69745472616e7366657246726f6d5c223a5b7b5c226e616d655c223a5c227065726d69747465645c222c5c22747970655c223a5c22546f6b656e5065726d697373696f6e735c227d2c7b5c226e616d655c223a5c227370656e6465725c222c5c22747970655c223a5c22616464726573735c227d2c7b5c226e616d655c223a5c226e6f6e63655c222c5c22747970655c223a5c2275696e743235365c227d2c7b5c226e616d655c223a5c22646561646c696e655c222c5c22747970655c223a5c2275696e743235365c227d5d2c5c22546f6b656e5065726d697373696f6e735c223a5b7b5c226e616d655c223a5c22746f6b656e5c222c5c22747970655c223a5c22616464726573735c227d2c7b5c226e616d655c223a5c22616d6f756e745c222c5c22747970655c223a5c2275696e743235365c227d5d7d2c5c227072696d617279547970655c223a5c225065726d69745472616e7366657246726f6d5c222c5c226d6573736167655c223a7b5c227065726d69747465645c223a7b5c22746f6b656e5c223a5c223078353564333938333236663939303539666637373534383532343639393930323762333139373935355c222c5c22616d6f756e745c223a5c2231323334303030303030303030303030303030305c227d2c5c227370656e6465725c223a5c223078326432646465323338323234336137393562623564656434356265663763646334363137626166305c222c5c226e6f6e63655c223a5c22323139303636323930313636323234313038333130363833303738363139363333393539383134323533323237333234303234333836313233303738353331343932333036363836343438305c222c5c22646561646c696e655c223a5c22313739303030303630305c227d7d225d7d",
    },
    status: 200,
    response: {
      actions: [
        {
          type: "walletRpc",
          data: {
            chain_id: "eip155:56",
            method: "eth_sendTransaction",
            params: [
              '{"from":"0x006b0c86efe2722505270c4ea20d084fb5af4193","to":"0x55d398326f99059ff775485246999027b3197955","data":"0x095ea7b3000000000000000000000000000000000022d473030f116ddee9f6b43ac78ba3000000000000000000000000000000000000000000000000ab407c9eb0520000","value":"0x0"}',
            ],
          },
        },
        {
          type: "walletRpc",
          data: {
            chain_id: "eip155:56",
            method: "eth_signTypedData_v4",
            params: [
              "0x006b0c86efe2722505270c4ea20d084fb5af4193",
              '{"domain":{"name":"Permit2","chainId":"56","verifyingContract":"0x000000000022d473030f116ddee9f6b43ac78ba3"},"types":{"EIP712Domain":[{"name":"name","type":"string"},{"name":"chainId","type":"uint256"},{"name":"verifyingContract","type":"address"}],"PermitTransferFrom":[{"name":"permitted","type":"TokenPermissions"},{"name":"spender","type":"address"},{"name":"nonce","type":"uint256"},{"name":"deadline","type":"uint256"}],"TokenPermissions":[{"name":"token","type":"address"},{"name":"amount","type":"uint256"}]},"primaryType":"PermitTransferFrom","message":{"permitted":{"token":"0x55d398326f99059ff775485246999027b3197955","amount":"12340000000000000000"},"spender":"0x2d2dde2382243a795bb5ded45bef7cdc4617baf0","nonce":"2190662901662241083106830786196339598142532273240243861230785314923066864480","deadline":"1790000600"}}',
            ],
          },
        },
      ],
    },
  },
  {
    operation: "gateway.fetch",
    name: "params_validation",
    summary: "An option that we never issued",
    request: { optionId: "unknown", data: "" },
    status: 400,
    response: {
      code: "params_validation",
      message: "Option not found: ask for the payment's options again",
      requestId: "req_HMbekqiZlVnYz",
      issues: [
        { field: "optionId", message: "Option not found: ask for the payment's options again" },
      ],
    },
  },
  {
    operation: "gateway.status",
    name: "requires_action",
    summary: "Waiting for the payer",
    status: 200,
    response: { status: "requires_action", isFinal: false, pollInMs: 1000, info: null },
  },
  {
    operation: "gateway.confirm",
    name: "wrong_signature",
    summary: "Signed by somebody else",
    request: {
      optionId:
        "3wSNEJye3nAgr1sXCAH3GwIAB2VpcDMwMDkAInBheV8wVlZyZGExd2JlaTRtMmM5cHVpWTVPcVVHNnU0Nk0AC2VpcDE1NTo4NDUzgBQAawyG7-JyJQUnDE6iDQhPta9BkwUgASBMAIAUgzWJ_NbttuCPTHwy1PcbVL2gKROAFC0t3iOCJDp5W7Xe1FvvfNxGF7rwAGqxO4AAarE8rAO8SyADAYag",
      results: [
        {
          type: "walletRpc",
          data: [
            "0xb95398e7dae7eb984005001d6eb50722507b98068a311977ae14262395c680c74754e86f7ecddea789c891a0ec5c7d9cd8a450611172b43083d8d63a0214cdc81c",
          ],
        },
      ],
    },
    status: 422,
    response: {
      code: "params_validation",
      message: "the signature is not the account's for this option",
      requestId: "req_HMbekqiZlVnY11",
      issues: [{ field: "results", message: "the signature is not the account's for this option" }],
    },
  },
  {
    operation: "gateway.confirm",
    name: "accepted",
    summary: "Signed by the payer",
    request: {
      optionId:
        "3wSNEJye3nAgr1sXCAH3GwIAB2VpcDMwMDkAInBheV8wVlZyZGExd2JlaTRtMmM5cHVpWTVPcVVHNnU0Nk0AC2VpcDE1NTo4NDUzgBQAawyG7-JyJQUnDE6iDQhPta9BkwUgASBMAIAUgzWJ_NbttuCPTHwy1PcbVL2gKROAFC0t3iOCJDp5W7Xe1FvvfNxGF7rwAGqxO4AAarE8rAO8SyADAYag",
      results: [
        {
          type: "walletRpc",
          data: [
            "0xc1812490732b6bcfabc6eb975be5e4e7f234b38cfd234eaff72eb00b2152c9294c4075fca61eb6a60875edfb097f0fe523a3121636f9cdbc52ef67cbd823d2dc1c",
          ],
        },
      ],
    },
    status: 200,
    response: { status: "processing", isFinal: false, pollInMs: 1000, info: null },
  },
  {
    operation: "refunds.create",
    name: "payment_not_succeeded",
    summary: "Before it was paid",
    request: { paymentId: "pay_0VVrda1wbei4m2c9puiY5OqUG6u46M" },
    status: 400,
    response: {
      code: "payment_not_succeeded",
      message: "only a succeeded payment can be refunded",
      requestId: "req_HMbekqiZlVnY13",
    },
  },
  {
    operation: "gateway.status",
    name: "succeeded",
    summary: "Paid",
    status: 200,
    response: {
      status: "succeeded",
      isFinal: true,
      info: {
        optionAmount: {
          unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
          value: "12340000",
          display: {
            assetName: "USD Coin",
            assetSymbol: "USDC",
            decimals: 6,
            iconUrl: "https://pay.example.com/icons/usdc.svg",
            networkName: "Base",
            networkIconUrl: "https://pay.example.com/icons/base.svg",
          },
        },
        txId: "0xf921704e8db80df9dfbdfd9944c534f7d3df43738453cad37f808fce7d682ae3",
      },
    },
  },
  {
    operation: "gateway.confirm",
    name: "succeeded",
    summary: "The same again, once it was paid",
    request: {
      optionId:
        "3wSNEJye3nAgr1sXCAH3GwIAB2VpcDMwMDkAInBheV8wVlZyZGExd2JlaTRtMmM5cHVpWTVPcVVHNnU0Nk0AC2VpcDE1NTo4NDUzgBQAawyG7-JyJQUnDE6iDQhPta9BkwUgASBMAIAUgzWJ_NbttuCPTHwy1PcbVL2gKROAFC0t3iOCJDp5W7Xe1FvvfNxGF7rwAGqxO4AAarE8rAO8SyADAYag",
      results: [
        {
          type: "walletRpc",
          data: [
            "0xc1812490732b6bcfabc6eb975be5e4e7f234b38cfd234eaff72eb00b2152c9294c4075fca61eb6a60875edfb097f0fe523a3121636f9cdbc52ef67cbd823d2dc1c",
          ],
        },
      ],
    },
    status: 200,
    response: {
      status: "succeeded",
      isFinal: true,
      info: {
        optionAmount: {
          unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
          value: "12340000",
          display: {
            assetName: "USD Coin",
            assetSymbol: "USDC",
            decimals: 6,
            iconUrl: "https://pay.example.com/icons/usdc.svg",
            networkName: "Base",
            networkIconUrl: "https://pay.example.com/icons/base.svg",
          },
        },
        txId: "0xf921704e8db80df9dfbdfd9944c534f7d3df43738453cad37f808fce7d682ae3",
      },
    },
  },
  {
    operation: "gateway.cancel",
    name: "invalid_state",
    summary: "Paid already",
    request: {},
    status: 400,
    response: {
      code: "invalid_state",
      message: "the payment is succeeded, which does not allow this",
      requestId: "req_HMbekqiZlVnY16",
    },
  },
  {
    operation: "payments.status",
    name: "succeeded",
    summary: "Paid",
    status: 200,
    response: {
      status: "succeeded",
      isFinal: true,
      info: {
        optionAmount: {
          unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
          value: "12340000",
          display: {
            assetName: "USD Coin",
            assetSymbol: "USDC",
            decimals: 6,
            iconUrl: "https://pay.example.com/icons/usdc.svg",
            networkName: "Base",
            networkIconUrl: "https://pay.example.com/icons/base.svg",
          },
        },
        txId: "0xf921704e8db80df9dfbdfd9944c534f7d3df43738453cad37f808fce7d682ae3",
      },
    },
  },
  {
    operation: "payments.statusAlias",
    name: "succeeded",
    summary: "Under the old path",
    status: 200,
    response: {
      status: "succeeded",
      isFinal: true,
      info: {
        optionAmount: {
          unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
          value: "12340000",
          display: {
            assetName: "USD Coin",
            assetSymbol: "USDC",
            decimals: 6,
            iconUrl: "https://pay.example.com/icons/usdc.svg",
            networkName: "Base",
            networkIconUrl: "https://pay.example.com/icons/base.svg",
          },
        },
        txId: "0xf921704e8db80df9dfbdfd9944c534f7d3df43738453cad37f808fce7d682ae3",
      },
    },
  },
  {
    operation: "payments.get",
    name: "settled",
    summary: "Paid, and the merchant has the money",
    status: 200,
    response: {
      paymentId: "pay_0VVrda1wbei4m2c9puiY5OqUG6u46M",
      referenceId: "ORDER-7",
      metadata: { cart: "6735" },
      status: "succeeded",
      isFinal: true,
      info: {
        optionAmount: {
          unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
          value: "12340000",
          display: {
            assetName: "USD Coin",
            assetSymbol: "USDC",
            decimals: 6,
            iconUrl: "https://pay.example.com/icons/usdc.svg",
            networkName: "Base",
            networkIconUrl: "https://pay.example.com/icons/base.svg",
          },
        },
        txId: "0xf921704e8db80df9dfbdfd9944c534f7d3df43738453cad37f808fce7d682ae3",
      },
      settlement: {
        successful: {
          txId: "0xfd9935398b8eaa67837a592f374641c574bc1259855374e6e2f9e19d60c73155",
          amount: {
            unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
            value: "12190640",
          },
        },
      },
      payout: {
        id: "out_0VVrdaoKgdTdpwbX3qE5EElop5DzhM",
        state: "paid",
        reason: null,
        dueAt: null,
        netted: {
          unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
          value: "0",
        },
      },
    },
  },
  {
    operation: "payments.get",
    name: "missing_merchant_id",
    summary: "Without a Merchant-Id",
    status: 401,
    response: {
      code: "missing_merchant_id",
      message: "say which merchant this is about: send a Merchant-Id",
      requestId: "req_HMbekqiZlVnY1a",
    },
  },
  {
    operation: "refunds.create",
    name: "requested",
    summary: "The whole of a payment",
    request: { paymentId: "pay_0VVrda1wbei4m2c9puiY5OqUG6u46M" },
    status: 200,
    response: {
      paymentId: "pay_0VVrda1wbei4m2c9puiY5OqUG6u46M",
      refundId: "rfnd_0VVrdaoKjE8m1yvmLRtDRCAGyk0AJ0",
      status: "pending",
      amount: {
        unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        value: "12340000",
        display: {
          assetName: "USD Coin",
          assetSymbol: "USDC",
          decimals: 6,
          iconUrl: "https://pay.example.com/icons/usdc.svg",
          networkName: "Base",
          networkIconUrl: "https://pay.example.com/icons/base.svg",
        },
      },
    },
  },
  {
    operation: "refunds.create",
    name: "already_refunded",
    summary: "A second time",
    request: { paymentId: "pay_0VVrda1wbei4m2c9puiY5OqUG6u46M" },
    status: 409,
    response: {
      code: "already_refunded",
      message: "the payment was refunded already",
      requestId: "req_HMbekqiZlVnY1c",
    },
  },
  {
    operation: "refunds.get",
    name: "succeeded",
    summary: "Paid back",
    status: 200,
    response: {
      paymentId: "pay_0VVrda1wbei4m2c9puiY5OqUG6u46M",
      refundId: "rfnd_0VVrdaoKjE8m1yvmLRtDRCAGyk0AJ0",
      status: "pending",
      amount: {
        unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        value: "12340000",
        display: {
          assetName: "USD Coin",
          assetSymbol: "USDC",
          decimals: 6,
          iconUrl: "https://pay.example.com/icons/usdc.svg",
          networkName: "Base",
          networkIconUrl: "https://pay.example.com/icons/base.svg",
        },
      },
      pendingReason: "insufficient_funds",
    },
  },
  {
    operation: "refunds.get",
    name: "not_found",
    summary: "Somebody else's refund",
    status: 404,
    response: {
      code: "not_found",
      message: "there is no such refund",
      requestId: "req_HMbekqiZlVnY1e",
    },
  },
  {
    operation: "gateway.options",
    name: "collectData",
    summary: "An amount for which the payer must be known",
    request: { accounts: ["eip155:8453:0x006B0C86Efe2722505270C4eA20d084Fb5AF4193"] },
    status: 200,
    response: {
      options: [
        {
          id: "OMOzwfRe4JEgbj3BcpvlFANk30iQKViSvSMAB2VpcDMwMDkAInBheV8wVlZyZGJhaW9tWnpkVWd2T0s5d0dwWGVkRTZ4TmMAC2VpcDE1NTo4NDUzgBQAawyG7-JyJQUnDE6iDQhPta9BkwUgASBMAIAUgzWJ_NbttuCPTHwy1PcbVL2gKROAFAQ4rhyS5vE7zNNF--2231IdUCe1AGqxO4YAarE8sgSVAvkAAwGGoA",
          account: "eip155:8453:0x006B0C86Efe2722505270C4eA20d084Fb5AF4193",
          actions: [
            {
              type: "walletRpc",
              data: {
                chain_id: "eip155:8453",
                method: "eth_signTypedData_v4",
                params: [
                  "0x006b0c86efe2722505270c4ea20d084fb5af4193",
                  '{"domain":{"name":"USD Coin","version":"2","chainId":"8453","verifyingContract":"0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"},"types":{"EIP712Domain":[{"name":"name","type":"string"},{"name":"version","type":"string"},{"name":"chainId","type":"uint256"},{"name":"verifyingContract","type":"address"}],"ReceiveWithAuthorization":[{"name":"from","type":"address"},{"name":"to","type":"address"},{"name":"value","type":"uint256"},{"name":"validAfter","type":"uint256"},{"name":"validBefore","type":"uint256"},{"name":"nonce","type":"bytes32"}]},"primaryType":"ReceiveWithAuthorization","message":{"from":"0x006b0c86efe2722505270c4ea20d084fb5af4193","to":"0x0438ae1c92e6f13bccd345fbedb6df521d5027b5","value":"2500000000","validAfter":"0","validBefore":"1790000606","nonce":"0x8f7f7234ce39ba355a39f38cda2bcc94a4f686fd467d9c37e7ff2c5049bcacf5"}}',
                ],
              },
            },
          ],
          amount: {
            unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
            value: "2500000000",
            display: {
              assetName: "USD Coin",
              assetSymbol: "USDC",
              decimals: 6,
              iconUrl: "https://pay.example.com/icons/usdc.svg",
              networkName: "Base",
              networkIconUrl: "https://pay.example.com/icons/base.svg",
            },
          },
          collectData: {
            fields: [
              { id: "fullName", name: "Full name", required: true, type: "text" },
              { id: "dob", name: "Date of birth", required: true, type: "date" },
              { id: "pobCountry", name: "Country of birth", required: false, type: "text" },
              { id: "pobAddress", name: "Place of birth", required: false, type: "text" },
              { id: "porCountry", name: "Country of residence", required: false, type: "text" },
              { id: "porAddress", name: "Address of residence", required: false, type: "text" },
              {
                id: "tosConfirmed",
                name: "I accept the terms and the privacy policy",
                required: true,
                type: "checkbox",
              },
            ],
            schema: {
              $schema: "https://json-schema.org/draft/2020-12/schema",
              type: "object",
              properties: {
                fullName: { type: "string", minLength: 1 },
                dob: { type: "string", format: "date" },
                pobCountry: { type: "string", pattern: "^[A-Z]{2}$" },
                pobAddress: { type: "string", maxLength: 200 },
                porCountry: { type: "string", pattern: "^[A-Z]{2}$" },
                porAddress: { type: "string", maxLength: 200 },
                tosConfirmed: { type: "boolean", const: true },
              },
              required: ["fullName", "dob", "tosConfirmed"],
              additionalProperties: false,
              anyOf: [
                { required: ["pobCountry", "pobAddress"] },
                { required: ["porCountry", "porAddress"] },
              ],
            },
            url: "https://pay.example.com/collect/?pid=pay_0VVrdbaiomZzdUgvOK9wGpXedE6xNc&accounts=eip155%3A8453%3A0x006B0C86Efe2722505270C4eA20d084Fb5AF4193&session=z2WB912yjtuXRl3qAVDsc2TfSJApWJK9I3BheV8wVlZyZGJhaW9tWnpkVWd2T0s5d0dwWGVkRTZ4TmM",
          },
          etaS: 30,
          expiresAt: 1790000306,
        },
      ],
      collectData: {
        fields: [
          { id: "fullName", name: "Full name", required: true, type: "text" },
          { id: "dob", name: "Date of birth", required: true, type: "date" },
          { id: "pobCountry", name: "Country of birth", required: false, type: "text" },
          { id: "pobAddress", name: "Place of birth", required: false, type: "text" },
          { id: "porCountry", name: "Country of residence", required: false, type: "text" },
          { id: "porAddress", name: "Address of residence", required: false, type: "text" },
          {
            id: "tosConfirmed",
            name: "I accept the terms and the privacy policy",
            required: true,
            type: "checkbox",
          },
        ],
        schema: {
          $schema: "https://json-schema.org/draft/2020-12/schema",
          type: "object",
          properties: {
            fullName: { type: "string", minLength: 1 },
            dob: { type: "string", format: "date" },
            pobCountry: { type: "string", pattern: "^[A-Z]{2}$" },
            pobAddress: { type: "string", maxLength: 200 },
            porCountry: { type: "string", pattern: "^[A-Z]{2}$" },
            porAddress: { type: "string", maxLength: 200 },
            tosConfirmed: { type: "boolean", const: true },
          },
          required: ["fullName", "dob", "tosConfirmed"],
          additionalProperties: false,
          anyOf: [
            { required: ["pobCountry", "pobAddress"] },
            { required: ["porCountry", "porAddress"] },
          ],
        },
        url: "https://pay.example.com/collect/?pid=pay_0VVrdbaiomZzdUgvOK9wGpXedE6xNc&accounts=eip155%3A8453%3A0x006B0C86Efe2722505270C4eA20d084Fb5AF4193&session=z2WB912yjtuXRl3qAVDsc2TfSJApWJK9I3BheV8wVlZyZGJhaW9tWnpkVWd2T0s5d0dwWGVkRTZ4TmM",
      },
    },
  },
  {
    operation: "gateway.confirm",
    name: "data_required",
    summary: "Without data that is needed",
    request: {
      optionId:
        "OMOzwfRe4JEgbj3BcpvlFANk30iQKViSvSMAB2VpcDMwMDkAInBheV8wVlZyZGJhaW9tWnpkVWd2T0s5d0dwWGVkRTZ4TmMAC2VpcDE1NTo4NDUzgBQAawyG7-JyJQUnDE6iDQhPta9BkwUgASBMAIAUgzWJ_NbttuCPTHwy1PcbVL2gKROAFAQ4rhyS5vE7zNNF--2231IdUCe1AGqxO4YAarE8sgSVAvkAAwGGoA",
      results: [
        {
          type: "walletRpc",
          data: [
            "0xcd2db45cca42f4a77ef8a114cbe6d10c9313482ef70bdefe95095ce1dcb4162b51b4b57aabbae8a3873dba6fe69e7546416992a4783412fa04f59df89b5e96dd1c",
          ],
        },
      ],
    },
    status: 400,
    response: {
      code: "params_validation",
      message: "IC data required: collect the payer's data for this account first",
      requestId: "req_HMbekqiZlVnY1h",
      issues: [
        {
          field: "collectedData",
          message: "IC data required: collect the payer's data for this account first",
        },
      ],
    },
  },
  {
    operation: "gateway.confirm",
    name: "collectedData",
    summary: "With data about the payer",
    request: {
      optionId:
        "OMOzwfRe4JEgbj3BcpvlFANk30iQKViSvSMAB2VpcDMwMDkAInBheV8wVlZyZGJhaW9tWnpkVWd2T0s5d0dwWGVkRTZ4TmMAC2VpcDE1NTo4NDUzgBQAawyG7-JyJQUnDE6iDQhPta9BkwUgASBMAIAUgzWJ_NbttuCPTHwy1PcbVL2gKROAFAQ4rhyS5vE7zNNF--2231IdUCe1AGqxO4YAarE8sgSVAvkAAwGGoA",
      results: [
        {
          type: "walletRpc",
          data: [
            "0xcd2db45cca42f4a77ef8a114cbe6d10c9313482ef70bdefe95095ce1dcb4162b51b4b57aabbae8a3873dba6fe69e7546416992a4783412fa04f59df89b5e96dd1c",
          ],
        },
      ],
      collectedData: {
        fields: [
          { id: "fullName", value: "Ada Lovelace" },
          { id: "dob", value: "1990-12-10" },
          { id: "porCountry", value: "GB" },
          { id: "porAddress", value: "12 St James's Square, London" },
          { id: "tosConfirmed", value: "true" },
        ],
      },
    },
    status: 200,
    response: { status: "processing", isFinal: false, pollInMs: 1000, info: null },
  },
  {
    operation: "gateway.cancel",
    name: "cancelled",
    summary: "By the payer",
    request: {},
    status: 200,
    response: {
      paymentId: "pay_0VVrdbaimDYSV3bxQ37odHuXF8SoLp",
      status: "cancelled",
      cancelledReason: "cancelled_by_user",
      cancelledAt: "2026-09-21T14:13:26.000Z",
    },
  },
  {
    operation: "gateway.options",
    name: "closed",
    summary: "A payment that takes no option any more",
    request: {
      accounts: [
        "eip155:8453:0x006B0C86Efe2722505270C4eA20d084Fb5AF4193",
        "eip155:56:0x006B0C86Efe2722505270C4eA20d084Fb5AF4193",
      ],
    },
    status: 200,
    response: { options: null },
  },
  {
    operation: "payments.cancel",
    name: "cancelled",
    summary: "By the merchant",
    request: {},
    status: 200,
    response: {
      paymentId: "pay_0VVrdbai8Yu2o7RMrcMy8AodvZQwZ2",
      status: "cancelled",
      cancelledReason: "cancelled_by_merchant",
      cancelledAt: "2026-09-21T14:13:26.000Z",
    },
  },
  {
    operation: "gateway.confirm",
    name: "quote_expired",
    summary: "An option whose time is over",
    request: {
      optionId:
        "mu07qvUdPQSzmeZ3r4HfIwIAB2VpcDMwMDkAInBheV8wVlZyZGJhaTRid21veVJERUJERXlzdk5ZcVZhUlEAC2VpcDE1NTo4NDUzgBQAawyG7-JyJQUnDE6iDQhPta9BkwUgASBMAIAUgzWJ_NbttuCPTHwy1PcbVL2gKROAFC0t3iOCJDp5W7Xe1FvvfNxGF7rwAGqxO4YAarE8sgO8SyADAYag",
      results: [
        {
          type: "walletRpc",
          data: [
            "0xc1812490732b6bcfabc6eb975be5e4e7f234b38cfd234eaff72eb00b2152c9294c4075fca61eb6a60875edfb097f0fe523a3121636f9cdbc52ef67cbd823d2dc1c",
          ],
        },
      ],
    },
    status: 409,
    response: {
      code: "quote_expired",
      message: "the option has expired: ask for the payment's options again",
      requestId: "req_HMbekqiZlVnY1q",
    },
  },
  {
    operation: "gateway.options",
    name: "payment_expired",
    summary: "A payment whose time is over",
    request: {
      accounts: [
        "eip155:8453:0x006B0C86Efe2722505270C4eA20d084Fb5AF4193",
        "eip155:56:0x006B0C86Efe2722505270C4eA20d084Fb5AF4193",
      ],
    },
    status: 410,
    response: {
      code: "payment_expired",
      message: "the payment has expired: ask the merchant for a new one",
      requestId: "req_HMbekqiZlVnY1r",
    },
  },
  {
    operation: "payments.list",
    name: "listed",
    summary: "Succeeded payments, newest first",
    status: 200,
    response: {
      data: [
        {
          paymentId: "pay_0VVrda1wbei4m2c9puiY5OqUG6u46M",
          merchant: { id: "mrch_0VVrda1wjJyTiYdOH1quj82JL7Za0X", name: "Blue Door Coffee" },
          referenceId: "ORDER-7",
          metadata: { cart: "6735" },
          status: "succeeded",
          isTerminal: true,
          fiatAmount: {
            unit: "iso4217/USD",
            value: "1234",
            display: {
              assetName: "US Dollar",
              assetSymbol: "USD",
              decimals: 2,
              iconUrl: "https://pay.example.com/icons/usd.svg",
            },
          },
          tokenAmount: {
            unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
            value: "12340000",
            display: {
              assetName: "USD Coin",
              assetSymbol: "USDC",
              decimals: 6,
              iconUrl: "https://pay.example.com/icons/usdc.svg",
              networkName: "Base",
              networkIconUrl: "https://pay.example.com/icons/base.svg",
            },
          },
          buyer: {
            accountCaip10: "eip155:8453:0x006B0C86Efe2722505270C4eA20d084Fb5AF4193",
            accountProviderName: "Pocket Wallet",
            accountProviderIcon: "https://wallet.example/icon.png",
          },
          transaction: {
            networkId: "8453",
            hash: "0xf921704e8db80df9dfbdfd9944c534f7d3df43738453cad37f808fce7d682ae3",
            nonce: 0,
          },
          settlement: {
            settled: true,
            amount: {
              unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
              value: "12190640",
              display: {
                assetName: "USD Coin",
                assetSymbol: "USDC",
                decimals: 6,
                iconUrl: "https://pay.example.com/icons/usdc.svg",
                networkName: "Base",
                networkIconUrl: "https://pay.example.com/icons/base.svg",
              },
            },
            txHash: "0xfd9935398b8eaa67837a592f374641c574bc1259855374e6e2f9e19d60c73155",
          },
          payout: {
            id: "out_0VVrdaoKgdTdpwbX3qE5EElop5DzhM",
            state: "paid",
            reason: null,
            dueAt: null,
            netted: {
              unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
              value: "0",
            },
          },
          fees: {
            total: {
              unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
              value: "149360",
              display: {
                assetName: "USD Coin",
                assetSymbol: "USDC",
                decimals: 6,
                iconUrl: "https://pay.example.com/icons/usdc.svg",
                networkName: "Base",
                networkIconUrl: "https://pay.example.com/icons/base.svg",
              },
            },
            fixed: {
              unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
              value: "100000",
              display: {
                assetName: "USD Coin",
                assetSymbol: "USDC",
                decimals: 6,
                iconUrl: "https://pay.example.com/icons/usdc.svg",
                networkName: "Base",
                networkIconUrl: "https://pay.example.com/icons/base.svg",
              },
            },
            percentage: "0.4",
          },
          createdAt: "2026-09-21T14:13:20.000Z",
          lastUpdatedAt: "2026-09-21T14:13:23.000Z",
          settledAt: "2026-09-21T14:13:23.000Z",
        },
      ],
      nextCursor: null,
      stats: {
        totalRevenue: [{ amount: 12.34, currency: "USD" }],
        totalTransactions: 1,
        totalCustomers: 1,
      },
    },
  },
  {
    operation: "payments.listOfMerchant",
    name: "listed",
    summary: "Succeeded payments, newest first",
    status: 200,
    response: {
      data: [
        {
          paymentId: "pay_0VVrda1wbei4m2c9puiY5OqUG6u46M",
          merchant: { id: "mrch_0VVrda1wjJyTiYdOH1quj82JL7Za0X", name: "Blue Door Coffee" },
          referenceId: "ORDER-7",
          metadata: { cart: "6735" },
          status: "succeeded",
          isTerminal: true,
          fiatAmount: {
            unit: "iso4217/USD",
            value: "1234",
            display: {
              assetName: "US Dollar",
              assetSymbol: "USD",
              decimals: 2,
              iconUrl: "https://pay.example.com/icons/usd.svg",
            },
          },
          tokenAmount: {
            unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
            value: "12340000",
            display: {
              assetName: "USD Coin",
              assetSymbol: "USDC",
              decimals: 6,
              iconUrl: "https://pay.example.com/icons/usdc.svg",
              networkName: "Base",
              networkIconUrl: "https://pay.example.com/icons/base.svg",
            },
          },
          buyer: {
            accountCaip10: "eip155:8453:0x006B0C86Efe2722505270C4eA20d084Fb5AF4193",
            accountProviderName: "Pocket Wallet",
            accountProviderIcon: "https://wallet.example/icon.png",
          },
          transaction: {
            networkId: "8453",
            hash: "0xf921704e8db80df9dfbdfd9944c534f7d3df43738453cad37f808fce7d682ae3",
            nonce: 0,
          },
          settlement: {
            settled: true,
            amount: {
              unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
              value: "12190640",
              display: {
                assetName: "USD Coin",
                assetSymbol: "USDC",
                decimals: 6,
                iconUrl: "https://pay.example.com/icons/usdc.svg",
                networkName: "Base",
                networkIconUrl: "https://pay.example.com/icons/base.svg",
              },
            },
            txHash: "0xfd9935398b8eaa67837a592f374641c574bc1259855374e6e2f9e19d60c73155",
          },
          payout: {
            id: "out_0VVrdaoKgdTdpwbX3qE5EElop5DzhM",
            state: "paid",
            reason: null,
            dueAt: null,
            netted: {
              unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
              value: "0",
            },
          },
          fees: {
            total: {
              unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
              value: "149360",
              display: {
                assetName: "USD Coin",
                assetSymbol: "USDC",
                decimals: 6,
                iconUrl: "https://pay.example.com/icons/usdc.svg",
                networkName: "Base",
                networkIconUrl: "https://pay.example.com/icons/base.svg",
              },
            },
            fixed: {
              unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
              value: "100000",
              display: {
                assetName: "USD Coin",
                assetSymbol: "USDC",
                decimals: 6,
                iconUrl: "https://pay.example.com/icons/usdc.svg",
                networkName: "Base",
                networkIconUrl: "https://pay.example.com/icons/base.svg",
              },
            },
            percentage: "0.4",
          },
          createdAt: "2026-09-21T14:13:20.000Z",
          lastUpdatedAt: "2026-09-21T14:13:23.000Z",
          settledAt: "2026-09-21T14:13:23.000Z",
        },
      ],
      nextCursor: null,
      stats: {
        totalRevenue: [{ amount: 12.34, currency: "USD" }],
        totalTransactions: 1,
        totalCustomers: 1,
      },
    },
  },
  {
    operation: "payments.listOfMerchantByPath",
    name: "listed",
    summary: "Under the old path",
    status: 200,
    response: {
      data: [
        {
          paymentId: "pay_0VVrda1wbei4m2c9puiY5OqUG6u46M",
          merchant: { id: "mrch_0VVrda1wjJyTiYdOH1quj82JL7Za0X", name: "Blue Door Coffee" },
          referenceId: "ORDER-7",
          metadata: { cart: "6735" },
          status: "succeeded",
          isTerminal: true,
          fiatAmount: {
            unit: "iso4217/USD",
            value: "1234",
            display: {
              assetName: "US Dollar",
              assetSymbol: "USD",
              decimals: 2,
              iconUrl: "https://pay.example.com/icons/usd.svg",
            },
          },
          tokenAmount: {
            unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
            value: "12340000",
            display: {
              assetName: "USD Coin",
              assetSymbol: "USDC",
              decimals: 6,
              iconUrl: "https://pay.example.com/icons/usdc.svg",
              networkName: "Base",
              networkIconUrl: "https://pay.example.com/icons/base.svg",
            },
          },
          buyer: {
            accountCaip10: "eip155:8453:0x006B0C86Efe2722505270C4eA20d084Fb5AF4193",
            accountProviderName: "Pocket Wallet",
            accountProviderIcon: "https://wallet.example/icon.png",
          },
          transaction: {
            networkId: "8453",
            hash: "0xf921704e8db80df9dfbdfd9944c534f7d3df43738453cad37f808fce7d682ae3",
            nonce: 0,
          },
          settlement: {
            settled: true,
            amount: {
              unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
              value: "12190640",
              display: {
                assetName: "USD Coin",
                assetSymbol: "USDC",
                decimals: 6,
                iconUrl: "https://pay.example.com/icons/usdc.svg",
                networkName: "Base",
                networkIconUrl: "https://pay.example.com/icons/base.svg",
              },
            },
            txHash: "0xfd9935398b8eaa67837a592f374641c574bc1259855374e6e2f9e19d60c73155",
          },
          payout: {
            id: "out_0VVrdaoKgdTdpwbX3qE5EElop5DzhM",
            state: "paid",
            reason: null,
            dueAt: null,
            netted: {
              unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
              value: "0",
            },
          },
          fees: {
            total: {
              unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
              value: "149360",
              display: {
                assetName: "USD Coin",
                assetSymbol: "USDC",
                decimals: 6,
                iconUrl: "https://pay.example.com/icons/usdc.svg",
                networkName: "Base",
                networkIconUrl: "https://pay.example.com/icons/base.svg",
              },
            },
            fixed: {
              unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
              value: "100000",
              display: {
                assetName: "USD Coin",
                assetSymbol: "USDC",
                decimals: 6,
                iconUrl: "https://pay.example.com/icons/usdc.svg",
                networkName: "Base",
                networkIconUrl: "https://pay.example.com/icons/base.svg",
              },
            },
            percentage: "0.4",
          },
          createdAt: "2026-09-21T14:13:20.000Z",
          lastUpdatedAt: "2026-09-21T14:13:23.000Z",
          settledAt: "2026-09-21T14:13:23.000Z",
        },
      ],
      nextCursor: null,
      stats: {
        totalRevenue: [{ amount: 12.34, currency: "USD" }],
        totalTransactions: 1,
        totalCustomers: 1,
      },
    },
  },
  {
    operation: "payments.list",
    name: "params_validation",
    summary: "A filter that is wrong",
    status: 400,
    response: {
      code: "params_validation",
      message: "limit: must be a whole number from 1 to 200",
      requestId: "req_HMbekqiZlVnY1v",
      issues: [{ field: "limit", message: "must be a whole number from 1 to 200" }],
    },
  },
  {
    operation: "payouts.list",
    name: "listed",
    summary: "The last payout",
    status: 200,
    response: {
      data: [
        {
          id: "out_0VVrdaoKgdTdpwbX3qE5EElop5DzhM",
          state: "paid",
          reason: null,
          amount: {
            unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
            value: "12190640",
            display: {
              assetName: "USD Coin",
              assetSymbol: "USDC",
              decimals: 6,
              iconUrl: "https://pay.example.com/icons/usdc.svg",
              networkName: "Base",
              networkIconUrl: "https://pay.example.com/icons/base.svg",
            },
          },
          destination: "eip155:8453:0xF1a33307189FDa3128d7c42C5C033bA44f8B8C48",
          txId: "0xfd9935398b8eaa67837a592f374641c574bc1259855374e6e2f9e19d60c73155",
          paymentCount: 1,
          createdAt: "2026-09-21T14:13:23.000Z",
          sentAt: "2026-09-21T14:13:23.000Z",
          paidAt: "2026-09-21T14:13:23.000Z",
        },
      ],
      nextCursor: null,
    },
  },
  {
    operation: "payouts.get",
    name: "paid",
    summary: "With the payments that it pays",
    status: 200,
    response: {
      id: "out_0VVrdaoKgdTdpwbX3qE5EElop5DzhM",
      state: "paid",
      reason: null,
      amount: {
        unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        value: "12190640",
        display: {
          assetName: "USD Coin",
          assetSymbol: "USDC",
          decimals: 6,
          iconUrl: "https://pay.example.com/icons/usdc.svg",
          networkName: "Base",
          networkIconUrl: "https://pay.example.com/icons/base.svg",
        },
      },
      destination: "eip155:8453:0xF1a33307189FDa3128d7c42C5C033bA44f8B8C48",
      txId: "0xfd9935398b8eaa67837a592f374641c574bc1259855374e6e2f9e19d60c73155",
      paymentCount: 1,
      createdAt: "2026-09-21T14:13:23.000Z",
      sentAt: "2026-09-21T14:13:23.000Z",
      paidAt: "2026-09-21T14:13:23.000Z",
      payments: [
        {
          paymentId: "pay_0VVrda1wbei4m2c9puiY5OqUG6u46M",
          merchantId: "mrch_0VVrda1wjJyTiYdOH1quj82JL7Za0X",
          amount: {
            unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
            value: "12190640",
          },
          netted: {
            unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
            value: "0",
          },
        },
      ],
    },
  },
  {
    operation: "events.list",
    name: "listed",
    summary: "What happened first",
    status: 200,
    response: {
      data: [
        {
          id: "evt_0VVrda1wHXqZZ2ChLDvwCnUCwuoXBn0000",
          type: "settlement_destination.changed",
          timestamp: "2026-09-21T14:13:20.000Z",
          data: {
            settlementId: "crypto_0VVrda1wHXqZZ2ChLDvwCnUCwuoXBn",
            merchantId: "mrch_0VVrda1wjJyTiYdOH1quj82JL7Za0X",
            asset: "eip155:1/erc20:0xdAC17F958D2ee523a2206206994597C13D831ec7",
            from: "eip155:1:0xF1a33307189FDa3128d7c42C5C033bA44f8B8C48",
            to: "eip155:1:0x006B0C86Efe2722505270C4eA20d084Fb5AF4193",
            takesEffectAt: null,
            keyId: "key_0VVrda1wzI7lYqQ9IthEwF6pgOpua2",
            requestId: "req_HMbekqiZlVnYi",
          },
        },
        {
          id: "evt_0VVrda1wHXqZZ2ChLDvwCnUCwuoXBn0001",
          type: "settlement_destination.changed",
          timestamp: "2026-09-21T14:13:20.000Z",
          data: {
            settlementId: "crypto_0VVrda1wHXqZZ2ChLDvwCnUCwuoXBn",
            merchantId: "mrch_0VVrda1wjJyTiYdOH1quj82JL7Za0X",
            asset: "eip155:1/erc20:0xdAC17F958D2ee523a2206206994597C13D831ec7",
            from: "eip155:1:0x006B0C86Efe2722505270C4eA20d084Fb5AF4193",
            to: null,
            takesEffectAt: null,
            keyId: "key_0VVrda1wzI7lYqQ9IthEwF6pgOpua2",
            requestId: "req_HMbekqiZlVnYj",
          },
        },
        {
          id: "evt_0VVrda1wbei4m2c9puiY5OqUG6u46M0000",
          type: "payment.created",
          timestamp: "2026-09-21T14:13:20.000Z",
          data: {
            paymentId: "pay_0VVrda1wbei4m2c9puiY5OqUG6u46M",
            merchantId: "mrch_0VVrda1wjJyTiYdOH1quj82JL7Za0X",
            referenceId: "ORDER-7",
            payment_state_version: 0,
            status: "requires_action",
            amount: { unit: "iso4217/USD", value: "1234" },
            expiresAt: 1790000300,
            metadata: { cart: "6735" },
            buyer: null,
            info: null,
            settlement: null,
            refund: null,
          },
        },
        {
          id: "evt_0VVrda1wUcX9DWY2BsCRsgigUyKjcL0000",
          type: "payment.created",
          timestamp: "2026-09-21T14:13:20.000Z",
          data: {
            paymentId: "pay_0VVrda1wUcX9DWY2BsCRsgigUyKjcL",
            merchantId: "mrch_0VVrda1wjJyTiYdOH1quj82JL7Za0X",
            referenceId: "ORDER-8",
            payment_state_version: 0,
            status: "requires_action",
            amount: { unit: "iso4217/USD", value: "1234" },
            expiresAt: 1790000300,
            metadata: { cart: "6735" },
            buyer: null,
            info: null,
            settlement: null,
            refund: null,
          },
        },
        {
          id: "evt_0VVrda1wpXr7FuMuy22ZOhwyQ2poQX0000",
          type: "payment.created",
          timestamp: "2026-09-21T14:13:20.000Z",
          data: {
            paymentId: "pay_0VVrda1wpXr7FuMuy22ZOhwyQ2poQX",
            merchantId: "mrch_0VVrda1wjJyTiYdOH1quj82JL7Za0X",
            referenceId: "ORDER-8b",
            payment_state_version: 0,
            status: "requires_action",
            amount: { unit: "iso4217/USD", value: "1234" },
            expiresAt: 1790000300,
            metadata: { cart: "6735" },
            buyer: null,
            info: null,
            settlement: null,
            refund: null,
          },
        },
        {
          id: "evt_0VVrda1wbei4m2c9puiY5OqUG6u46M0001",
          type: "payment.processing",
          timestamp: "2026-09-21T14:13:20.000Z",
          data: {
            paymentId: "pay_0VVrda1wbei4m2c9puiY5OqUG6u46M",
            merchantId: "mrch_0VVrda1wjJyTiYdOH1quj82JL7Za0X",
            referenceId: "ORDER-7",
            payment_state_version: 1,
            status: "processing",
            amount: { unit: "iso4217/USD", value: "1234" },
            expiresAt: 1790000300,
            metadata: { cart: "6735" },
            buyer: "eip155:8453:0x006B0C86Efe2722505270C4eA20d084Fb5AF4193",
            info: null,
            settlement: null,
            refund: null,
          },
        },
      ],
      nextCursor: "DIP_A5vtMLq5X6yfRppW8Mv6shjO2GNXxF7QgAkfQ79bIjYiXQ",
      hasMore: true,
    },
  },
  {
    operation: "events.list",
    name: "params_validation",
    summary: "A cursor that we never gave",
    status: 400,
    response: {
      code: "params_validation",
      message:
        "cursor: must be the nextCursor of the previous page of this list, with the same filters and order: start again without a cursor",
      requestId: "req_HMbekqiZlVnY1z",
      issues: [
        {
          field: "cursor",
          message:
            "must be the nextCursor of the previous page of this list, with the same filters and order: start again without a cursor",
        },
      ],
    },
  },
  {
    operation: "assets.list",
    name: "listed",
    summary: "What payments can be asked and paid in",
    status: 200,
    response: {
      assets: [
        {
          asset: "eip155:42161/erc20:0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
          symbol: "USDC",
          name: "USD Coin",
          decimals: 6,
          peg: "USD",
          iconUrl: "https://pay.example.com/icons/usdc.svg",
          network: {
            id: "eip155:42161",
            name: "Arbitrum One",
            iconUrl: "https://pay.example.com/icons/arbitrum.svg",
          },
          flows: ["eip3009"],
          isOffered: true,
          minimum: "0",
          reason: null,
        },
        {
          asset: "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
          symbol: "USDC",
          name: "USD Coin",
          decimals: 6,
          peg: "USD",
          iconUrl: "https://pay.example.com/icons/usdc.svg",
          network: {
            id: "eip155:8453",
            name: "Base",
            iconUrl: "https://pay.example.com/icons/base.svg",
          },
          flows: ["eip3009"],
          isOffered: true,
          minimum: "0",
          reason: null,
        },
        {
          asset: "eip155:137/erc20:0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
          symbol: "USDC",
          name: "USD Coin",
          decimals: 6,
          peg: "USD",
          iconUrl: "https://pay.example.com/icons/usdc.svg",
          network: {
            id: "eip155:137",
            name: "Polygon",
            iconUrl: "https://pay.example.com/icons/polygon.svg",
          },
          flows: ["eip3009"],
          isOffered: true,
          minimum: "0",
          reason: null,
        },
        {
          asset: "eip155:1/erc20:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
          symbol: "USDC",
          name: "USD Coin",
          decimals: 6,
          peg: "USD",
          iconUrl: "https://pay.example.com/icons/usdc.svg",
          network: {
            id: "eip155:1",
            name: "Ethereum",
            iconUrl: "https://pay.example.com/icons/ethereum.svg",
          },
          flows: ["eip3009"],
          isOffered: true,
          minimum: "0",
          reason: null,
        },
        {
          asset: "eip155:10/erc20:0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85",
          symbol: "USDC",
          name: "USD Coin",
          decimals: 6,
          peg: "USD",
          iconUrl: "https://pay.example.com/icons/usdc.svg",
          network: {
            id: "eip155:10",
            name: "OP Mainnet",
            iconUrl: "https://pay.example.com/icons/optimism.svg",
          },
          flows: ["eip3009"],
          isOffered: true,
          minimum: "0",
          reason: null,
        },
        {
          asset: "eip155:143/erc20:0x754704Bc059F8C67012fEd69BC8A327a5aafb603",
          symbol: "USDC",
          name: "USD Coin",
          decimals: 6,
          peg: "USD",
          iconUrl: "https://pay.example.com/icons/usdc.svg",
          network: {
            id: "eip155:143",
            name: "Monad",
            iconUrl: "https://pay.example.com/icons/monad.svg",
          },
          flows: ["eip3009"],
          isOffered: true,
          minimum: "0",
          reason: null,
        },
        {
          asset: "eip155:42220/erc20:0xcebA9300f2b948710d2653dD7B07f33A8B32118C",
          symbol: "USDC",
          name: "USD Coin",
          decimals: 6,
          peg: "USD",
          iconUrl: "https://pay.example.com/icons/usdc.svg",
          network: {
            id: "eip155:42220",
            name: "Celo",
            iconUrl: "https://pay.example.com/icons/celo.svg",
          },
          flows: ["eip3009"],
          isOffered: true,
          minimum: "0",
          reason: null,
        },
        {
          asset: "eip155:56/erc20:0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d",
          symbol: "USDC",
          name: "USD Coin",
          decimals: 18,
          peg: "USD",
          iconUrl: "https://pay.example.com/icons/usdc.svg",
          network: {
            id: "eip155:56",
            name: "BNB Smart Chain",
            iconUrl: "https://pay.example.com/icons/bsc.svg",
          },
          flows: ["permit2"],
          isOffered: true,
          minimum: "0",
          reason: null,
        },
        {
          asset: "eip155:1/erc20:0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c",
          symbol: "EURC",
          name: "Euro Coin",
          decimals: 6,
          peg: "EUR",
          iconUrl: "https://pay.example.com/icons/eurc.svg",
          network: {
            id: "eip155:1",
            name: "Ethereum",
            iconUrl: "https://pay.example.com/icons/ethereum.svg",
          },
          flows: ["eip3009"],
          isOffered: true,
          minimum: "0",
          reason: null,
        },
        {
          asset: "eip155:8453/erc20:0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42",
          symbol: "EURC",
          name: "Euro Coin",
          decimals: 6,
          peg: "EUR",
          iconUrl: "https://pay.example.com/icons/eurc.svg",
          network: {
            id: "eip155:8453",
            name: "Base",
            iconUrl: "https://pay.example.com/icons/base.svg",
          },
          flows: ["eip3009"],
          isOffered: true,
          minimum: "0",
          reason: null,
        },
        {
          asset: "eip155:42161/erc20:0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9",
          symbol: "USDT0",
          name: "USD₮0",
          decimals: 6,
          peg: "USD",
          iconUrl: "https://pay.example.com/icons/usdt0.svg",
          network: {
            id: "eip155:42161",
            name: "Arbitrum One",
            iconUrl: "https://pay.example.com/icons/arbitrum.svg",
          },
          flows: ["eip3009"],
          isOffered: true,
          minimum: "0",
          reason: null,
        },
        {
          asset: "eip155:1/erc20:0x6c3ea9036406852006290770BEdFcAbA0e23A0e8",
          symbol: "PYUSD",
          name: "PayPal USD",
          decimals: 6,
          peg: "USD",
          iconUrl: "https://pay.example.com/icons/pyusd.svg",
          network: {
            id: "eip155:1",
            name: "Ethereum",
            iconUrl: "https://pay.example.com/icons/ethereum.svg",
          },
          flows: ["eip3009"],
          isOffered: true,
          minimum: "0",
          reason: null,
        },
        {
          asset: "eip155:42161/erc20:0x46850aD61C2B7d64d08c9C754F45254596696984",
          symbol: "PYUSD",
          name: "PayPal USD",
          decimals: 6,
          peg: "USD",
          iconUrl: "https://pay.example.com/icons/pyusd.svg",
          network: {
            id: "eip155:42161",
            name: "Arbitrum One",
            iconUrl: "https://pay.example.com/icons/arbitrum.svg",
          },
          flows: ["eip3009"],
          isOffered: true,
          minimum: "0",
          reason: null,
        },
        {
          asset: "eip155:1/erc20:0xe343167631d89B6Ffc58B88d6b7fB0228795491D",
          symbol: "USDG",
          name: "Global Dollar",
          decimals: 6,
          peg: "USD",
          iconUrl: "https://pay.example.com/icons/usdg.svg",
          network: {
            id: "eip155:1",
            name: "Ethereum",
            iconUrl: "https://pay.example.com/icons/ethereum.svg",
          },
          flows: ["eip3009"],
          isOffered: true,
          minimum: "0",
          reason: null,
        },
        {
          asset: "eip155:1/erc20:0xdAC17F958D2ee523a2206206994597C13D831ec7",
          symbol: "USDT",
          name: "Tether USD",
          decimals: 6,
          peg: "USD",
          iconUrl: "https://pay.example.com/icons/usdt.svg",
          network: {
            id: "eip155:1",
            name: "Ethereum",
            iconUrl: "https://pay.example.com/icons/ethereum.svg",
          },
          flows: ["permit2"],
          isOffered: true,
          minimum: "0",
          reason: null,
        },
        {
          asset: "eip155:137/erc20:0xc2132D05D31c914a87C6611C10748AEb04B58e8F",
          symbol: "USDT",
          name: "Tether USD",
          decimals: 6,
          peg: "USD",
          iconUrl: "https://pay.example.com/icons/usdt.svg",
          network: {
            id: "eip155:137",
            name: "Polygon",
            iconUrl: "https://pay.example.com/icons/polygon.svg",
          },
          flows: ["permit2"],
          isOffered: true,
          minimum: "0",
          reason: null,
        },
        {
          asset: "eip155:56/erc20:0x55d398326f99059fF775485246999027B3197955",
          symbol: "USDT",
          name: "Tether USD",
          decimals: 18,
          peg: "USD",
          iconUrl: "https://pay.example.com/icons/usdt.svg",
          network: {
            id: "eip155:56",
            name: "BNB Smart Chain",
            iconUrl: "https://pay.example.com/icons/bsc.svg",
          },
          flows: ["permit2"],
          isOffered: true,
          minimum: "0",
          reason: null,
        },
      ],
    },
  },
  {
    operation: "auditLog.list",
    name: "listed",
    summary: "Who wrote what last",
    status: 200,
    response: {
      data: [
        {
          id: "aud_0VVrdbail9eYsNfRvoPqn8vxmWQkh5",
          timestamp: "2026-09-21T14:13:26.000Z",
          action: "payment.created",
          subject: "pay_0VVrdbai4bwmoyRDEBDEysvNYqVaRQ",
          actor: { type: "key", keyId: "key_0VVrda1wzI7lYqQ9IthEwF6pgOpua2" },
          requestId: "req_HMbekqiZlVnY1o",
          changes: [],
        },
        {
          id: "aud_0VVrdbaiOZ4ptROWRf4uXyNQvuYoW5",
          timestamp: "2026-09-21T14:13:26.000Z",
          action: "payment.cancelled",
          subject: "pay_0VVrdbai8Yu2o7RMrcMy8AodvZQwZ2",
          actor: { type: "key", keyId: "key_0VVrda1wzI7lYqQ9IthEwF6pgOpua2" },
          requestId: "req_HMbekqiZlVnY1n",
          changes: [],
        },
      ],
      nextCursor: "Fs3vp8QpMjfrtLeaSxGNlVHjPek--j0NRw7v5woQ2kJbIjE5Il0",
    },
  },
  {
    operation: "merchants.remove",
    name: "removed",
    summary: "Its payments stay",
    status: 200,
    response: { id: "mrch_0VVrda1wjJyTiYdOH1quj82JL7Za0X", deleted: true },
  },
  {
    operation: "*",
    name: "rate_limited",
    summary: "Too often",
    status: 429,
    response: {
      code: "rate_limited",
      message: "too many calls: wait 2 s",
      requestId: "req_HMbekqiZlVnY2",
    },
  },
]
