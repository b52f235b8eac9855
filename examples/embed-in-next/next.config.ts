/** The configuration of Next: payment links, which have no path, lead to the route below `/pay`. */
import { florinRewrites } from "@florin/server/next"

export default {
  rewrites: () => Promise.resolve(florinRewrites("/pay")),
  // Next must not bundle packages that read files next to themselves.
  serverExternalPackages: ["@florin/pages", "@florin/server", "@florin/testing"],
}
