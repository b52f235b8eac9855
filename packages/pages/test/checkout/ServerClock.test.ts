import { assert, describe, it } from "@effect/vitest"
import * as ServerClock from "../../src/checkout/ServerClock.ts"

describe("the server's clock", () => {
  const start = { writtenAt: 1_000_000, since: 40 }

  /** A page that is started 10 ms after the server wrote it, on a device with a wrong wall clock. */
  const clockAt = () => {
    const device = { monotonic: 50, wall: 7 }
    const now = ServerClock.make(
      start,
      () => device.monotonic,
      () => device.wall,
    )
    return { device, now }
  }

  it("starts at the time when the server wrote the page", () => {
    assert.strictEqual(clockAt().now(), 1_000_010)
  })

  it("does not go back if the user sets the wall clock back", () => {
    const { device, now } = clockAt()
    device.monotonic += 500
    device.wall -= 60_000
    assert.strictEqual(now(), 1_000_510)
  })

  it("counts the time while the device slept, and the monotonic clock stopped", () => {
    const { device, now } = clockAt()
    device.wall += 600_000
    assert.strictEqual(now(), 1_600_010)
  })
})
