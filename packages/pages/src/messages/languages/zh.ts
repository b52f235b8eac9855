/**
 * Chinese, in simplified characters.
 *
 * @module
 */
import type { CheckoutMessages } from "../CheckoutMessages.ts"
import type { CollectMessages } from "../CollectMessages.ts"
import type { Isolate } from "../Messages.ts"
import type { PlainMessages } from "../PlainMessages.ts"

export const checkout = (isolate: Isolate): CheckoutMessages => ({
  payTo: (merchant) => `向 ${isolate(merchant)} 付款`,
  test: "测试 · 非真实资金",
  reference: "参考号",
  amount: "金额",
  recipient: "收款方",
  moreItems: (count) => `另有 ${count}\u00a0项`,
  paying: "您支付",
  secondsLeft: (clock) => `剩余 ${clock}`,
  minuteLeft: "付款时间还剩一分钟。",
  terms: "条款",
  privacy: "隐私",
  newWindow: "在新窗口中打开",

  scan: { title: "扫码付款", text: "请用手机相机或钱包应用扫描此二维码。" },
  qrCode: (merchant) => `向 ${isolate(merchant)} 付款的链接二维码`,
  inWalletApp: "在钱包应用中付款",
  walletAppLink: "在应用中打开此付款。应用开发商可以看到付款链接。",
  otherWalletApp: "其他钱包应用",
  otherDevice: "用其他设备付款",
  otherWallet: "使用其他钱包",
  copyLink: "复制链接",
  copied: "链接已复制",
  copyFailed: "复制失败。",
  inThisBrowser: "使用此浏览器中的钱包付款",
  namelessWallet: "浏览器钱包",
  or: "或扫码",
  anyWallet: "付款后，此页面会立即显示结果。",
  onAnotherDevice: "连接手机或其他设备上的钱包",
  pairing: { title: "连接您的钱包", text: "请用您的钱包应用扫描此二维码，并在应用中允许连接。" },

  connecting: (wallet) => ({
    title: `连接 ${isolate(wallet)}`,
    text: `请允许此页面查看您在 ${isolate(wallet)} 中的账户。`,
  }),
  preparing: { title: "请稍候", text: "正在查询您可用的付款方式。" },
  choose: (wallet) => ({
    title: "选择付款方式",
    text: `您在 ${isolate(wallet)} 中的账户可使用以下方式付款。`,
  }),
  onNetwork: (network) => `${isolate(network)} 网络`,
  recommended: "推荐",
  filter: "搜索代币或网络",
  noMatch: "没有名称与此相符的付款方式。",
  ways: (count) => `${count}\u00a0种付款方式`,
  aboutSeconds: (seconds) => `约\u00a0${seconds}\u00a0秒`,
  aboutMinutes: (minutes) => `约\u00a0${minutes}\u00a0分钟`,
  networkFee: { none: "无网络费", maybe: "可能收取网络费", some: "另收网络费" },
  networkFeeAbout: (amount) => `网络费约 ${amount}`,
  networkFeeBelow: (amount) => `网络费低于 ${amount}`,
  balance: (amount) => `余额 ${amount}`,
  steps: (least, most) =>
    least < most ? `${least} 或 ${most}\u00a0个步骤` : `${most}\u00a0个步骤`,
  needsData: "需先填写简短表单",
  form: { title: "您的信息", text: "此次付款需要您提供一些信息。" },
  close: "关闭",
  otherWay: "使用其他方式付款",

  step: (step, steps) => `第 ${step} 步，共 ${steps} 步`,
  sign: (wallet) => ({
    title: `在 ${isolate(wallet)} 中签名`,
    text: `请打开 ${isolate(wallet)}，为此次付款签名。签名不收取网络费。`,
  }),
  allow: (wallet, amount) => ({
    title: `在 ${isolate(wallet)} 中授权`,
    text: `请打开 ${isolate(wallet)}，允许为此次付款使用最多 ${isolate(amount)}。此步骤不会付款，但会收取网络费。`,
  }),
  send: (wallet) => ({
    title: `在 ${isolate(wallet)} 中发送`,
    text: `请打开 ${isolate(wallet)}，发送付款。会收取网络费。`,
  }),
  confirming: { title: "正在发送付款", text: "请稍候，不要关闭此页面。" },
  processing: {
    title: "付款处理中",
    text: "网络正在确认，通常不到一分钟。您可以离开此页面，付款会继续进行。",
  },
  confirmations: "确认进度",
  blocks: (confirmed, needed) => `${confirmed} / ${needed} 个区块`,

  cancel: "取消付款",
  cancelling: (merchant) => ({
    title: "要取消此次付款吗？",
    text: `取消后，此链接不能再用于向 ${isolate(merchant)} 付款。`,
  }),
  keep: "保留付款",

  noFit: (wallet) => ({
    title: "此钱包目前无法付款",
    text: `${isolate(wallet)} 共享的账户中，目前可用的代币余额均不足。`,
  }),
  wouldDo: "以下任意一种即可",
  checkAgain: "重新检查",

  succeeded: (merchant) => ({
    title: "已付款",
    text: `${isolate(merchant)} 已收到您的付款。谢谢。`,
  }),
  unpaid: {
    failed: (merchant) => ({
      title: "付款失败",
      text: `付款未能完成。请向 ${isolate(merchant)} 索取新的付款链接。`,
    }),
    declined: () => ({ title: "付款被拒绝", text: "此账户不能用于此处付款。" }),
    expired: (merchant) => ({
      title: "付款超时",
      text: `未在规定时间内付款。请向 ${isolate(merchant)} 索取新的付款链接。`,
    }),
    cancelled: (merchant) => ({
      title: "付款已取消",
      text: `此次付款已取消。此链接不能再用于向 ${isolate(merchant)} 付款。`,
    }),
  },
  ifSent: (merchant) =>
    `如果您的账户仍因此次付款扣除了资金，请联系 ${isolate(merchant)} 退款，并提供交易哈希。`,
  whatYouSent: "您已发送的款项",
  money: {
    unsigned: (merchant) =>
      `请勿重复付款。您的钱包还需签名，以证明款项由您发送：请用同一钱包和同一账户继续。如果无法继续，请向 ${isolate(merchant)} 出示此交易。`,
    unreported: () => "请勿重复付款。尚未能通知服务方：请重试。",
    unsignedLate: (merchant) =>
      `此交易未能完成对 ${isolate(merchant)} 的付款，您的钱包也未签名证明款项由您发送。请签名，以便通知服务方并退回款项。如果无法签名，请向 ${isolate(merchant)} 出示此交易。`,
    unreportedLate: (merchant) =>
      `此交易未能完成对 ${isolate(merchant)} 的付款，且尚未能通知服务方。请重新加载此页面，以便通知服务方并退回款项。`,
    reported: (merchant) =>
      `此交易未能完成对 ${isolate(merchant)} 的付款。已通知服务方。如果网络已执行此交易，请联系 ${isolate(merchant)} 退款，并出示此交易。`,
  },
  mayBeSentLate: (merchant) =>
    `已请求您的钱包发送此次付款，但钱包未告知是否已发送。请在钱包中查看：如果仍在询问，请拒绝；如果已发送，请联系 ${isolate(merchant)} 退款，并提供交易哈希。`,
  signIn: (wallet) => `在 ${isolate(wallet)} 中签名`,
  refused: { title: "此钱包不能在此付款", text: "其中的账户均不能用于此处付款。" },
  transaction: "交易",
  copyHash: "复制哈希",
  hashCopied: "哈希已复制",
  seeTransaction: "查看交易",
  print: "打印收据",
  download: "下载收据",
  receipt: "收据",
  issued: "开具时间",
  help: (merchant) => `有疑问？请联系 ${isolate(merchant)}`,
  helpPage: "帮助页面",
  backTo: (merchant) => `返回 ${isolate(merchant)}`,
  leavingIn: (seconds) => `${seconds}\u00a0秒后返回`,
  stay: "留在此页",
  leave: {
    title: "要关闭付款页面吗？",
    text: "您的付款可能正在途中。请停留在此页面，直到页面显示付款已到账。",
  },
  closeAnyway: "仍要关闭",
  ownTab: {
    title: "在新标签页中打开",
    text: "没有看到您的钱包？有些钱包需要在单独的标签页中使用。",
  },

  halted: {
    rejected: "已在钱包中拒绝",
    wallet: "请检查钱包",
    offline: "没有连接",
    service: "服务不可用",
    other: "付款已中断",
  },
  tryAgain: "重试",
  reload: "重新加载",
  rejected: "您在钱包中选择了拒绝，因此未执行此步骤。您可以随时继续。",
  pending: "您的钱包正在等待回应。请在钱包中回应，然后重试。",
  wrongNetwork: (network) =>
    `您的钱包未切换到 ${isolate(network)}。请在钱包中添加或选择该网络，然后重试。`,
  noAccount: "钱包未共享任何账户。请解锁钱包，然后重试。",
  otherAccount: "钱包共享了另一个账户。请在钱包中选择发送此次付款的账户，然后重试。",
  walletFailed: "钱包未正常响应。请打开钱包，查看是否已发送任何款项，然后重试。",
  disconnected: "与您的钱包的连接已结束。请打开钱包，查看是否已发送任何款项，然后重试。",
  offline: "连接已断开。您的钱包已完成的操作会保存在此页面上。",
  stale: "此页面已打开很长时间。请重新加载以继续。",
  unsafe: "服务方提出了此页面不允许的请求，因此未向您的钱包发出请求。",
  service: "服务方目前无法执行此操作。请重试。",
  optionExpired: "该报价已过期。以下是当前报价。",
  formClosed: "表单在提交前已关闭。",
  mayBeSent:
    "已请求您的钱包发送此次付款，但钱包未告知是否已发送。请先在钱包中查看：如果已发送，请勿重复付款，并将交易哈希提供给商家；如果未发送，请选择该钱包以继续。",
  sent: "您已发送此次付款。",
  unsigned: "您已发送此次付款，但钱包未为其签名。",
  sentLate: "报价在服务方得知您付款之前已过期，因此该款项不计入。联系商家之前，请勿重复付款。",
  goOn: "您已开始付款。请选择同一钱包，从中断处继续。",
})

export const collect = (isolate: Isolate): CollectMessages => ({
  fields: {
    fullName: "姓名",
    dob: "出生日期",
    pobCountry: "出生国家/地区",
    pobAddress: "出生地",
    porCountry: "居住国家/地区",
    porAddress: "居住地址",
    tosConfirmed: "我接受条款和隐私政策",
  },
  title: "您的信息",
  lead: (merchant) => `向 ${isolate(merchant)} 付款需要您提供一些信息。`,
  test: "测试 · 非真实资金",
  oneOfThese: "填写其中一项即可",
  chooseCountry: "选择国家/地区",
  terms: "条款",
  privacy: "隐私政策",
  toRead: "接受前请阅读",
  newWindow: "在新窗口中打开",
  send: "接受并提交",
  sending: "正在提交…",
  problems: (count) => `有 ${count} 项需要更正`,

  missing: (name) => `${name}：请填写此项。`,
  notAccepted: "在您接受条款和隐私政策之前，不会提交任何内容。",
  tooShort: (name, min) => `${name}：至少 ${min} 个字符。`,
  tooLong: (name, max) => `${name}：最多 ${max} 个字符。`,
  notADate: (name) => `${name}：请填写完整日期。`,
  malformed: (name) => `${name}：内容似乎有误。`,
  refused: (name) => `${name}：内容未被接受。`,

  notSent: "您的信息未保存。请检查网络连接，然后重新提交。",
  doneTitle: "谢谢",
  done: "您的信息已保存。请返回钱包完成付款。",
  closedTitle: "不再需要您的信息",
  closed: (status) =>
    ({
      requires_action: "此次付款目前不需要您的信息。",
      processing: "付款正在处理中。",
      succeeded: "付款已完成。",
      failed: "付款失败。",
      expired: "付款已过期。请向商家索取新的付款。",
      cancelled: "付款已取消。",
    })[status],
  absentTitle: "无法使用此页面",
  absent: "链接有误或已过期。请返回钱包重新开始。",
})

export const plain = (): PlainMessages => ({
  notFound: {
    title: "找不到页面",
    text: "此地址没有内容。如果您要付款，请检查付款链接是否完整，或索取新的链接。",
  },
  needsScript:
    "此页面需要 JavaScript，而此浏览器未运行它。要付款，请在钱包应用或支持 JavaScript 的浏览器中打开此链接。",
  payBy: (time) => `请在 ${time} 前付款`,
})
