/**
 * Serves Florin below `/pay`. The rewrites of next.config.ts lead payment links here.
 *
 * @module
 */
import { florinRoutes } from "@florin/server/next"
import { florin } from "../../../florin.ts"

/** Never render a response before its request. */
export const dynamic = "force-dynamic"

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = florinRoutes(florin)
