/**
 * Assets and networks that the service has served.
 *
 * @module
 */
import * as Asset from "@florin/core/domain/chain/Asset"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Network from "@florin/core/domain/chain/Network"
import type { AssetStore } from "@florin/core/ports/AssetStore"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Connection from "../Connection.ts"
import * as Document from "./Document.ts"

const assetDocument = Document.of(Asset.Asset)
const networkDocument = Document.of(Network.Network)

export const make = (sql: SqlClient): AssetStore["Service"] => ({
  known: Connection.guard(
    Effect.all({
      networks: Document.all(
        networkDocument,
        sql<Document.Row>`SELECT document FROM florin.served WHERE kind = 'network' ORDER BY position`,
      ),
      assets: Document.all(
        assetDocument,
        sql<Document.Row>`SELECT document FROM florin.served WHERE kind = 'asset' ORDER BY position`,
      ),
    }),
  ),

  remember: Effect.fn("Storage.remember")(({ assets, networks }) => {
    const rows = [
      ...networks.map((network) => ({
        kind: "network",
        id: network.chainId,
        document: networkDocument.json(network),
      })),
      ...assets.map((asset) => ({
        kind: "asset",
        id: Caip.tokenKey(asset.token),
        document: assetDocument.json(asset),
      })),
    ]
    const write = sql`INSERT INTO florin.served (kind, id, document)
      SELECT each ->> 'kind', each ->> 'id', each -> 'document'
      FROM jsonb_array_elements(${Document.text(rows)}::jsonb) WITH ORDINALITY AS row (each, place)
      ORDER BY place
      ON CONFLICT (kind, id) DO UPDATE SET document = excluded.document
      WHERE served.document -> 'decimals' IS NOT DISTINCT FROM excluded.document -> 'decimals'
        OR NOT (EXISTS (SELECT FROM florin.payments
            WHERE chain = florin.number_of(served.document -> 'token' ->> 'chainId')
              AND asset = florin.number_of(served.document -> 'token' ->> 'address'))
          OR EXISTS (SELECT FROM florin.ledger_balances WHERE token = served.id))
      RETURNING 1`
    return Connection.guard(
      sql.withTransaction(
        // Without the lock, writers of the same rows in another order would deadlock.
        sql`LOCK TABLE florin.served IN SHARE ROW EXCLUSIVE MODE`.pipe(
          Effect.andThen(write),
          Effect.flatMap((written) =>
            written.length === rows.length
              ? Effect.void
              : Effect.fail(Catalog.AssetConflict.ofStored()),
          ),
        ),
      ),
    )
  }),
})
