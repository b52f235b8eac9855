/**
 * The status of each error code. It is apart from the schemas of errors, because clients in a browser load it.
 *
 * @module
 */

/** Every code that may appear, with its status. */
export const ofCode = {
  invalid_params: 400,
  params_validation: 400,
  invalid_state: 400,
  header_not_ascii: 400,
  invalid_api_version: 400,
  unknown_api_version: 400,
  api_version_downgrade: 400,
  conflicting_auth_headers: 400,
  missing_idempotency_key: 400,
  payment_not_succeeded: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  missing_client_id: 401,
  invalid_app_id: 401,
  missing_merchant_id: 401,
  forbidden: 403,
  step_up_required: 403,
  approval_required: 403,
  not_found: 404,
  payment_not_found: 404,
  merchant_not_found: 404,
  method_not_allowed: 405,
  quote_expired: 409,
  idempotency_conflict: 409,
  settlement_asset_conflict: 409,
  already_refunded: 409,
  payment_expired: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  sanctioned_user: 451,
  internal_error: 500,
  bad_gateway: 502,
  unavailable: 503,
} as const satisfies { readonly [code: string]: number }
