import { isIPv4, isIPv6 } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as WebUrl from "@florin/core/domain/ground/WebUrl"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as Result from "effect/Result"

const refusal = <A, E>(result: Result.Result<A, E>): E => Result.getOrThrow(Result.flip(result))
const value = <A, E>(result: Result.Result<A, E>): A => Result.getOrThrow(result)

const name = (host: string): WebUrl.Host => ({ _tag: "Name", name: host })
const v4 = (...bytes: ReadonlyArray<number>): WebUrl.Host => ({
  _tag: "Address",
  address: { _tag: "V4", bytes },
})
const v6 = (...groups: ReadonlyArray<number>): WebUrl.Host => ({
  _tag: "Address",
  address: { _tag: "V6", groups },
})

const host253 = `${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(61)}`

describe("WebUrl.parse", () => {
  it.each<readonly [string, WebUrl.WebUrl]>([
    ["https://example.com", { scheme: "https", host: name("example.com"), port: 443 }],
    ["http://example.com", { scheme: "http", host: name("example.com"), port: 80 }],
    ["https://EXAMPLE.com/", { scheme: "https", host: name("example.com"), port: 443 }],
    ["https://example.com:1/", { scheme: "https", host: name("example.com"), port: 1 }],
    ["https://example.com:65535?a", { scheme: "https", host: name("example.com"), port: 65_535 }],
    [
      "https://my_bucket.s3-x.com#a",
      { scheme: "https", host: name("my_bucket.s3-x.com"), port: 443 },
    ],
    [
      "https://a.b/c/-._~!$&'()*+,;=:@%2F?d=/?:@%20&e#f/?%ab",
      { scheme: "https", host: name("a.b"), port: 443 },
    ],
    ["https://localhost:3000/hook", { scheme: "https", host: name("localhost"), port: 3000 }],
    ["https://1.example", { scheme: "https", host: name("1.example"), port: 443 }],
    ["https://0xg", { scheme: "https", host: name("0xg"), port: 443 }],
    ["https://1x", { scheme: "https", host: name("1x"), port: 443 }],
    [`https://${host253}/`, { scheme: "https", host: name(host253), port: 443 }],
    ["https://127.0.0.1", { scheme: "https", host: v4(127, 0, 0, 1), port: 443 }],
    ["https://255.255.255.255", { scheme: "https", host: v4(255, 255, 255, 255), port: 443 }],
    ["https://127.1", { scheme: "https", host: v4(127, 0, 0, 1), port: 443 }],
    ["https://1.2.772", { scheme: "https", host: v4(1, 2, 3, 4), port: 443 }],
    ["https://1.131844", { scheme: "https", host: v4(1, 2, 3, 4), port: 443 }],
    ["https://2130706433", { scheme: "https", host: v4(127, 0, 0, 1), port: 443 }],
    ["https://4294967295", { scheme: "https", host: v4(255, 255, 255, 255), port: 443 }],
    ["https://0", { scheme: "https", host: v4(0, 0, 0, 0), port: 443 }],
    ["https://0x7f.1", { scheme: "https", host: v4(127, 0, 0, 1), port: 443 }],
    ["https://0X7F000001", { scheme: "https", host: v4(127, 0, 0, 1), port: 443 }],
    ["https://0x", { scheme: "https", host: v4(0, 0, 0, 0), port: 443 }],
    ["https://0177.0.0.01", { scheme: "https", host: v4(127, 0, 0, 1), port: 443 }],
    ["https://00.0.0.0", { scheme: "https", host: v4(0, 0, 0, 0), port: 443 }],
    ["https://017700000001", { scheme: "https", host: v4(127, 0, 0, 1), port: 443 }],
    ["https://[::1]:8443/", { scheme: "https", host: v6(0, 0, 0, 0, 0, 0, 0, 1), port: 8443 }],
    [
      "https://[2001:DB8::]",
      { scheme: "https", host: v6(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), port: 443 },
    ],
    [
      "https://[::ffff:127.0.0.1]",
      { scheme: "https", host: v6(0, 0, 0, 0, 0, 0xffff, 0x7f00, 1), port: 443 },
    ],
  ])("reads %s", (text, expected) => {
    assert.deepEqual(value(WebUrl.parse(text)), expected)
  })

  const wanted = "a URL begins with https:// in lower case"
  const user = "a URL must not contain a user name or password"
  const noHost = "the host must be a domain name in ASCII or an IP address, without a trailing dot"
  const noPort = "the port must be 1 to 65535"
  const tail = "the path and query must be ASCII, with everything else percent-encoded"
  const long = `https://${"a".repeat(64)}.com https://${host253}e`
  it.each([
    [wanted, "example.com //example.com ftp://a.b HTTPS://a.b https:a.b https:/a.b xhttps://a.b"],
    [user, "https://user@example.com https://u:p@example.com/ https://@example.com http://a@b?c"],
    [
      noHost,
      `https:// https:///path https://?a https://. https://example.com. https://a..b ${long}`,
    ],
    [
      noHost,
      "https://exämple.com https://example\u3002com https://\uff45.com https://%65xample.com",
    ],
    [
      noHost,
      "https://a\\b https://a,b.com https://example.com: https://example.com:a https://a:-1",
    ],
    [noHost, "https://example.com:443:443 https://example.com:065535 https://[::1 https://::1"],
    [noHost, "https://[] https://[1::2::3] https://[::1%25eth0] https://x[::1] https://[::1]x"],
    [noHost, "https://256.1.1.1 https://1.1.1.256 https://1.1.65536 https://1.2.3.4.5 https://08"],
    [noHost, "https://1.16777216 https://4294967296 https://0400.1.1.1 https://0x100000000"],
    [noHost, "https://1.256.1.1 https://example.1 https://example.0x1 https://a.0x https://1.09"],
    [noPort, "https://a.b:0 https://a.b:65536 https://a.b:99999 https://a.b:00000"],
    [
      tail,
      "https://a.b/é https://a.b/% https://a.b/%2 https://a.b/%g0 https://a.b/\\ https://a.b/<",
    ],
    [
      tail,
      "https://a.b/?é https://a.b?% https://a.b#% https://a.b/#a#b https://a.b/[ https://a.b/?{",
    ],
  ])("reports that %s for each of %j", (message, texts) => {
    for (const text of texts.split(" ")) {
      assert.strictEqual(refusal(WebUrl.parse(text)).message, message, text)
    }
  })

  it("refuses spaces and line breaks anywhere", () => {
    const issue = (text: string) => refusal(WebUrl.parse(text)).message
    assert.strictEqual(issue(" https://example.com"), wanted)
    for (const space of [" ", "\t", "\n"]) {
      assert.strictEqual(issue(`https://exa${space}mple.com`), noHost)
      for (const start of ["/", "?", "#", "/?a"]) {
        assert.strictEqual(issue(`https://a.b${start}${space}`), tail)
      }
    }
  })

  it("reads at most 2048 characters", () => {
    const start = "https://a.b/"
    assert.isTrue(Result.isSuccess(WebUrl.parse(start.padEnd(2048, "a"))))
    const error = refusal(WebUrl.parse(start.padEnd(2049, "a")))
    assert.strictEqual(error._tag, "Malformed")
    assert.strictEqual(error.message, "a URL has at most 2048 characters")
  })

  it.prop(
    "accepts a URL only if a browser reads it the same way",
    [
      HostileText.near([
        "https://example.com/hook?a=b#c",
        "https://127.0.0.1:8443/",
        "http://0x7f.1/",
        "https://[::ffff:10.0.0.1]/x",
        "https://[2606:4700::1111]",
        "https://a-b.c_d.example:99",
      ]),
    ],
    ([text]) => {
      const parsed = WebUrl.parse(text)
      if (Result.isFailure(parsed)) {
        assert.strictEqual(parsed.failure._tag, "Malformed")
        return
      }
      const { scheme, host, port } = parsed.success
      const browser = new URL(text)
      assert.strictEqual(browser.protocol, `${scheme}:`)
      assert.strictEqual(Number(browser.port || (scheme === "https" ? 443 : 80)), port)
      assert.strictEqual(browser.username + browser.password, "")
      if (host._tag === "Name") assert.strictEqual(browser.hostname, host.name)
      else if (host.address._tag === "V4") {
        assert.strictEqual(browser.hostname, host.address.bytes.join("."))
      } else assert.deepEqual(WebUrl.parseAddress(browser.hostname.slice(1, -1)), host.address)
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 100_000 }) } },
  )
})

describe("WebUrl.parseHttps", () => {
  it("refuses http, and returns the issues of other URLs", () => {
    assert.strictEqual(value(WebUrl.parseHttps("https://a.b")).port, 443)
    assert.strictEqual(
      refusal(WebUrl.parseHttps("http://a.b")).message,
      "a URL must begin with https://",
    )
    assert.strictEqual(
      refusal(WebUrl.parseHttps("https://a.b:0")).message,
      "the port must be 1 to 65535",
    )
  })

  it("returns its issue with the field, and no issue for null", () => {
    assert.deepEqual(WebUrl.httpsIssues("iconUrl", null), [])
    assert.deepEqual(WebUrl.httpsIssues("iconUrl", "https://a.b/i.png"), [])
    assert.deepEqual(WebUrl.httpsIssues("iconUrl", "http://a.b/i.png"), [
      { field: "iconUrl", message: "a URL must begin with https://" },
    ])
  })
})

describe("WebUrl.parseAddress", () => {
  it("fills in the zeros of ::", () => {
    assert.deepEqual(WebUrl.parseAddress("1:2::7:8"), {
      _tag: "V6",
      groups: [1, 2, 0, 0, 0, 0, 7, 8],
    })
    assert.deepEqual(WebUrl.parseAddress("::FFFF:1.2.3.4"), {
      _tag: "V6",
      groups: [0, 0, 0, 0, 0, 0xffff, 0x0102, 0x0304],
    })
    assert.deepEqual(WebUrl.parseAddress("10.200.3.4"), { _tag: "V4", bytes: [10, 200, 3, 4] })
  })

  it("refuses zones, which exist only on a local link", () => {
    assert.isUndefined(WebUrl.parseAddress("fe80::1%eth0"))
  })

  const addresses = [
    "256.0.0.1 01.2.3.4 1.2.3 1000.1.1.1 2606:4700::1111 ::ffff:10.0.0.1 ABCD::EF01 12345::",
    "1:2:3:4:5:6:7:8 1:2:3:4:5:6:7:: 1:2:3:4:5:6:7:8:: ::2:3:4:5:6:7:8 1::2::3 ::: ::",
    "1:2:3:4:5:6:1.2.3.4 1:2:3:4:5:6:7:1.2.3.4 1.2.3.4:: ::1.2.3.4:5 [::1] localhost",
  ].flatMap((each) => each.split(" "))
  it.prop(
    "reads exactly the addresses that node knows",
    [HostileText.near(["127.0.0.1", ...addresses])],
    ([text]) => {
      const known = isIPv4(text) || (isIPv6(text) && !text.includes("%"))
      assert.strictEqual(WebUrl.parseAddress(text) !== undefined, known)
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 100_000 }) } },
  )
})

const isPublic = (text: string): boolean => {
  const address = WebUrl.parseAddress(text)
  assert(address !== undefined, text)
  return WebUrl.isPublic(address)
}

describe("WebUrl.isPublic", () => {
  // Each block by its first and last address, and the neighbours outside it.
  it.each([
    ["0.0.0.0", "0.255.255.255", undefined, "1.0.0.0"],
    ["10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"],
    ["100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0"],
    ["127.0.0.0", "127.255.255.255", "126.255.255.255", "128.0.0.0"],
    ["168.63.129.16", "168.63.129.16", "168.63.129.15", "168.63.129.17"],
    ["169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0"],
    ["172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"],
    ["192.0.0.0", "192.0.0.255", "191.255.255.255", "192.0.1.0"],
    ["192.0.2.0", "192.0.2.255", "192.0.1.255", "192.0.3.0"],
    ["192.88.99.0", "192.88.99.255", "192.88.98.255", "192.88.100.0"],
    ["192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0"],
    ["198.18.0.0", "198.19.255.255", "198.17.255.255", "198.20.0.0"],
    ["198.51.100.0", "198.51.100.255", "198.51.99.255", "198.51.101.0"],
    ["203.0.113.0", "203.0.113.255", "203.0.112.255", "203.0.114.0"],
    ["224.0.0.0", "255.255.255.255", "223.255.255.255", undefined],
    ["2001::", "2001:1ff:ffff::ffff", "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::"],
    ["2001:db8::", "2001:db8:ffff::ffff", "2001:db7:ffff::ffff", "2001:db9::"],
    ["2002::", "2002:ffff::ffff", "2001:ffff::ffff", "2003::"],
    ["3fff::", "3fff:fff:ffff::ffff", "3ffe:ffff::", "3fff:1000::"],
  ] as const)(
    "is false from %s to %s, and true for the addresses next to them",
    (first, last, before, after) => {
      if (before !== undefined) assert.isTrue(isPublic(before), before)
      assert.isFalse(isPublic(first), first)
      assert.isFalse(isPublic(last), last)
      if (after !== undefined) assert.isTrue(isPublic(after), after)
    },
  )

  it("is true only for 2000::/3 of IPv6", () => {
    for (const each of ["2000::", "2606:4700::1111", "3ffe::1", "3fff:ffff::"]) {
      assert.isTrue(isPublic(each), each)
    }
    const refused = ["::", "::1", "::808:808", "1fff:ffff::", "4000::", "100::1", "5f00::1"]
    const local = [
      "fc00::1",
      "fd00:ec2::254",
      "fe80::1",
      "fec0::1",
      "ff02::1",
      "64:ff9b:1::808:808",
    ]
    for (const each of [...refused, ...local]) assert.isFalse(isPublic(each), each)
  })

  it("checks IPv4 inside IPv6 like the IPv4 address", () => {
    const each = ["8.8.8.8", "127.0.0.1", "10.0.0.1", "169.254.169.254", "1.2.3.4", "192.168.1.1"]
    for (const address of each) {
      assert.strictEqual(isPublic(`::ffff:${address}`), isPublic(address), address)
      assert.strictEqual(isPublic(`64:ff9b::${address}`), isPublic(address), address)
    }
    assert.isTrue(isPublic("::ffff:808:808"))
    assert.isFalse(isPublic("::ffff:7f00:1"))
    assert.isFalse(isPublic("::fffe:808:808"))
    assert.isFalse(isPublic("::1:ffff:808:808"))
    assert.isFalse(isPublic("64:ff9b::1:808:808"))
  })
})

const judge = (text: string) => WebUrl.mayBePublic(value(WebUrl.parse(`https://${text}/`)).host)

describe("WebUrl.mayBePublic", () => {
  it.each([
    "example.com",
    "localhost.example.com",
    "mylocalhost.com",
    "notlocal.xlocal",
    "8.8.8.8",
    "[2606:4700::1]",
  ])("is true for %s", (text) => {
    assert.isTrue(judge(text))
  })

  it.each([
    "localhost",
    "LOCALHOST",
    "a.localhost",
    "printer.local",
    "metadata.google.internal",
    "x.intranet",

    "router.lan",
    "nas.home",
    "x.corp",
    "x.home.arpa",
    "intranet",
    "127.0.0.1",
    "0x7f.1",
    "[::1]",
  ])("is false for %s", (text) => {
    assert.isFalse(judge(text))
  })
})
