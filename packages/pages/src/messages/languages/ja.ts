/**
 * Japanese.
 *
 * @module
 */
import type { CheckoutMessages } from "../CheckoutMessages.ts"
import type { CollectMessages } from "../CollectMessages.ts"
import type { Isolate } from "../Messages.ts"
import type { PlainMessages } from "../PlainMessages.ts"

export const checkout = (isolate: Isolate): CheckoutMessages => ({
  payTo: (merchant) => `${isolate(merchant)} へのお支払い`,
  test: "テスト · 実際のお金ではありません",
  reference: "参照番号",
  amount: "金額",
  recipient: "お支払い先",
  moreItems: (count) => `ほか${count}点`,
  paying: "お支払い額",
  secondsLeft: (clock) => `残り ${clock}`,
  minuteLeft: "お支払いの残り時間は1分です。",
  terms: "利用規約",
  privacy: "プライバシー",
  newWindow: "新しいウィンドウで開きます",

  scan: {
    title: "スキャンして支払う",
    text: "このコードをスマートフォンのカメラまたはウォレットアプリでスキャンしてください。",
  },
  qrCode: (merchant) => `${isolate(merchant)} への支払いリンクのQRコード`,
  inWalletApp: "ウォレットアプリで支払う",
  walletAppLink: "このお支払いをアプリで開きます。アプリの提供元には支払いリンクが伝わります。",
  otherWalletApp: "その他のウォレットアプリ",
  otherDevice: "別の端末で支払う",
  otherWallet: "別のウォレットを使う",
  copyLink: "リンクをコピー",
  copied: "リンクをコピーしました",
  copyFailed: "コピーできませんでした。",
  inThisBrowser: "このブラウザのウォレットで支払う",
  namelessWallet: "ブラウザのウォレット",
  or: "またはスキャン",
  anyWallet: "お支払いが済むと、このページに表示されます。",
  onAnotherDevice: "スマートフォンや別の端末のウォレットを接続",
  pairing: {
    title: "ウォレットを接続",
    text: "ウォレットアプリでコードをスキャンし、アプリで接続を許可してください。",
  },

  connecting: (wallet) => ({
    title: `${isolate(wallet)} を接続`,
    text: `${isolate(wallet)} のアカウントをこのページに表示することを許可してください。`,
  }),
  preparing: { title: "少々お待ちください", text: "お支払い方法を確認しています。" },
  choose: (wallet) => ({
    title: "お支払い方法の選択",
    text: `${isolate(wallet)} のアカウントでは、次の方法でお支払いいただけます。`,
  }),
  onNetwork: (network) => `${isolate(network)} ネットワーク`,
  recommended: "おすすめ",
  filter: "トークンまたはネットワークを検索",
  noMatch: "この名前を含むお支払い方法はありません。",
  ways: (count) => `${count}件のお支払い方法`,
  aboutSeconds: (seconds) => `約${seconds}秒`,
  aboutMinutes: (minutes) => `約${minutes}分`,
  networkFee: {
    none: "ネットワーク手数料なし",
    maybe: "ネットワーク手数料がかかる場合あり",
    some: "別途ネットワーク手数料",
  },
  networkFeeAbout: (amount) => `ネットワーク手数料 約${amount}`,
  networkFeeBelow: (amount) => `ネットワーク手数料 ${amount}未満`,
  balance: (amount) => `残高 ${amount}`,
  steps: (least, most) => (least < most ? `${least}または${most}ステップ` : `${most}ステップ`),
  needsData: "先に簡単なフォームを入力",
  form: { title: "お客様の情報", text: "このお支払いには、お客様の情報がいくつか必要です。" },
  close: "閉じる",
  otherWay: "別の方法で支払う",

  step: (step, steps) => `ステップ ${step}/${steps}`,
  sign: (wallet) => ({
    title: `${isolate(wallet)} で署名`,
    text: `${isolate(wallet)} を開いて、お支払いに署名してください。署名にネットワーク手数料はかかりません。`,
  }),
  allow: (wallet, amount) => ({
    title: `${isolate(wallet)} で許可`,
    text: `${isolate(wallet)} を開いて、このお支払いのために ${isolate(amount)} を上限とする使用を許可してください。この手順では、まだ支払いは行われません。ネットワーク手数料がかかります。`,
  }),
  send: (wallet) => ({
    title: `${isolate(wallet)} で送金`,
    text: `${isolate(wallet)} を開いて、お支払いを送金してください。ネットワーク手数料がかかります。`,
  }),
  confirming: {
    title: "お支払いを送信しています",
    text: "このページを開いたまま、少々お待ちください。",
  },
  processing: {
    title: "お支払いを処理しています",
    text: "ネットワークが確認しています。通常は1分以内に完了します。このページを離れても、お支払いの処理は続きます。",
  },
  confirmations: "承認状況",
  blocks: (confirmed, needed) => `${needed}ブロック中${confirmed}ブロック`,

  cancel: "お支払いを取り消す",
  cancelling: (merchant) => ({
    title: "このお支払いを取り消しますか？",
    text: `取り消すと、このリンクでは ${isolate(merchant)} にお支払いいただけなくなります。`,
  }),
  keep: "取り消さない",

  noFit: (wallet) => ({
    title: "このウォレットでは今はお支払いいただけません",
    text: `${isolate(wallet)} が共有したアカウントには、現在ご利用いただけるトークンの残高が足りません。`,
  }),
  wouldDo: "次のいずれか1つで足ります",
  checkAgain: "もう一度確認",

  succeeded: (merchant) => ({
    title: "お支払い完了",
    text: `${isolate(merchant)} がお支払いを受け取りました。ありがとうございます。`,
  }),
  unpaid: {
    failed: (merchant) => ({
      title: "お支払いに失敗しました",
      text: `お支払いを完了できませんでした。${isolate(merchant)} に新しい支払いリンクをご依頼ください。`,
    }),
    declined: () => ({
      title: "お支払いは承認されませんでした",
      text: "このアカウントは、ここでのお支払いにはご利用いただけません。",
    }),
    expired: (merchant) => ({
      title: "期限が切れました",
      text: `期限内にお支払いがありませんでした。${isolate(merchant)} に新しい支払いリンクをご依頼ください。`,
    }),
    cancelled: (merchant) => ({
      title: "お支払いは取り消されました",
      text: `このお支払いは取り消されました。このリンクでは、${isolate(merchant)} にお支払いいただけません。`,
    }),
  },
  ifSent: (merchant) =>
    `このお支払いのためにアカウントから出金されていた場合は、${isolate(merchant)} に返金を依頼し、取引ハッシュをお伝えください。`,
  whatYouSent: "送金の内容",
  money: {
    unsigned: (merchant) =>
      `もう一度支払わないでください。ご本人の送金であることを示すウォレットの署名がまだ必要です。同じウォレットとアカウントで続けてください。続けられない場合は、この取引を ${isolate(merchant)} にご提示ください。`,
    unreported: () =>
      "もう一度支払わないでください。サービスへの通知がまだ済んでいません。再試行してください。",
    unsignedLate: (merchant) =>
      `この送金は ${isolate(merchant)} へのお支払いになりませんでした。また、ご本人の送金であることを示すウォレットの署名がありません。署名すると、サービスに通知され、返金が可能になります。署名できない場合は、この取引を ${isolate(merchant)} にご提示ください。`,
    unreportedLate: (merchant) =>
      `この送金は ${isolate(merchant)} へのお支払いにならず、サービスへの通知もまだ済んでいません。このページを再読み込みすると、サービスに通知され、返金が可能になります。`,
    reported: (merchant) =>
      `この送金は ${isolate(merchant)} へのお支払いになりませんでした。サービスには通知済みです。ネットワークで実行されていた場合は、${isolate(merchant)} に返金を依頼し、この取引をご提示ください。`,
  },
  mayBeSentLate: (merchant) =>
    `ウォレットにこのお支払いの送金を依頼しましたが、送金したかどうかの回答がありません。ウォレットをご確認ください。まだ確認を求めている場合は、拒否してください。送金済みの場合は、${isolate(merchant)} に返金を依頼し、ハッシュをお伝えください。`,
  signIn: (wallet) => `${isolate(wallet)} で署名`,
  refused: {
    title: "このウォレットはここではお支払いに使えません",
    text: "このウォレットのどのアカウントも、ここでのお支払いにはご利用いただけません。",
  },
  transaction: "取引",
  copyHash: "ハッシュをコピー",
  hashCopied: "ハッシュをコピーしました",
  seeTransaction: "取引を見る",
  print: "領収書を印刷",
  download: "領収書をダウンロード",
  receipt: "領収書",
  issued: "発行日時",
  help: (merchant) => `ご不明な点は ${isolate(merchant)} へ`,
  helpPage: "ヘルプページ",
  backTo: (merchant) => `${isolate(merchant)} に戻る`,
  leavingIn: (seconds) => `${seconds}秒後に戻ります`,
  stay: "ここにとどまる",
  leave: {
    title: "お支払い画面を閉じますか？",
    text: "お支払いが送信中の可能性があります。このページに完了と表示されるまで、このままお待ちください。",
  },
  closeAnyway: "閉じる",
  ownTab: {
    title: "新しいタブで開く",
    text: "ウォレットが表示されない場合：ウォレットによっては専用のタブが必要です。",
  },

  halted: {
    rejected: "ウォレットで拒否されました",
    wallet: "ウォレットを確認してください",
    offline: "接続がありません",
    service: "サービスを利用できません",
    other: "お支払いが中断しています",
  },
  tryAgain: "再試行",
  reload: "再読み込み",
  rejected: "ウォレットで拒否されたため、この手順は実行されませんでした。いつでも続けられます。",
  pending: "ウォレットが回答を待っています。ウォレットで回答してから、再試行してください。",
  wrongNetwork: (network) =>
    `ウォレットが ${isolate(network)} に切り替わりませんでした。ウォレットでこのネットワークを追加または選択してから、再試行してください。`,
  noAccount:
    "ウォレットからアカウントが共有されませんでした。ロックを解除してから、再試行してください。",
  otherAccount:
    "ウォレットから別のアカウントが共有されました。このお支払いを送金したアカウントをウォレットで選択してから、再試行してください。",
  walletFailed:
    "ウォレットから正しい応答がありませんでした。ウォレットを開き、送金されていないか確認してから、再試行してください。",
  disconnected:
    "ウォレットとの接続が終了しました。ウォレットを開き、送金されていないか確認してから、再試行してください。",
  offline: "接続が切れました。ウォレットがここまでに行ったことは、このページに保存されています。",
  stale: "このページは長時間開いたままです。続けるには再読み込みしてください。",
  unsafe:
    "サービスが、このページで許可されていない操作を求めました。そのため、ウォレットには何も依頼していません。",
  service: "サービスは今この操作を行えませんでした。再試行してください。",
  optionExpired: "その条件は期限が切れました。現在の条件はこちらです。",
  formClosed: "フォームは送信される前に閉じられました。",
  mayBeSent:
    "ウォレットにこのお支払いの送金を依頼しましたが、送金したかどうかの回答がありません。まずウォレットをご確認ください。送金済みの場合は、もう一度支払わずに、ハッシュを販売者にお伝えください。送金していない場合は、ウォレットを選択して続けてください。",
  sent: "このお支払いは送金済みです。",
  unsigned: "このお支払いは送金済みですが、ウォレットの署名がありません。",
  sentLate:
    "サービスが送金を確認する前に条件の期限が切れたため、お支払いとして扱われません。販売者に問い合わせるまで、もう一度支払わないでください。",
  goOn: "お支払いの途中です。続けるには、同じウォレットを選択してください。",
})

export const collect = (isolate: Isolate): CollectMessages => ({
  fields: {
    fullName: "氏名",
    dob: "生年月日",
    pobCountry: "出生国",
    pobAddress: "出生地",
    porCountry: "居住国",
    porAddress: "現住所",
    tosConfirmed: "利用規約とプライバシーポリシーに同意します",
  },
  title: "お客様の情報",
  lead: (merchant) => `${isolate(merchant)} へのお支払いには、お客様の情報がいくつか必要です。`,
  test: "テスト · 実際のお金ではありません",
  oneOfThese: "いずれか1つをご入力ください",
  chooseCountry: "国を選択",
  terms: "利用規約",
  privacy: "プライバシーポリシー",
  toRead: "同意する前にお読みください",
  newWindow: "新しいウィンドウで開きます",
  send: "同意して送信",
  sending: "送信中…",
  problems: (count) => `${count}か所を修正してください`,

  missing: (name) => `${name}：入力してください。`,
  notAccepted: "利用規約とプライバシーポリシーに同意いただくまで、何も送信されません。",
  tooShort: (name, min) => `${name}：${min}文字以上で入力してください。`,
  tooLong: (name, max) => `${name}：${max}文字以内で入力してください。`,
  notADate: (name) => `${name}：年月日をすべて入力してください。`,
  malformed: (name) => `${name}：入力内容が正しくないようです。`,
  refused: (name) => `${name}：入力内容が受け付けられませんでした。`,

  notSent: "情報は保存されませんでした。接続を確認して、もう一度送信してください。",
  doneTitle: "ありがとうございます",
  done: "情報を保存しました。ウォレットに戻って、お支払いを完了してください。",
  closedTitle: "情報の入力はもう必要ありません",
  closed: (status) =>
    ({
      requires_action: "このお支払いに、今は情報の入力は必要ありません。",
      processing: "お支払いはすでに処理中です。",
      succeeded: "お支払いはすでに完了しています。",
      failed: "お支払いに失敗しました。",
      expired: "お支払いの期限が切れました。販売者に新しいお支払いをご依頼ください。",
      cancelled: "お支払いは取り消されました。",
    })[status],
  absentTitle: "このページはご利用いただけません",
  absent: "リンクが正しくないか、古すぎます。ウォレットに戻って、最初からやり直してください。",
})

export const plain = (): PlainMessages => ({
  notFound: {
    title: "ページが見つかりません",
    text: "このアドレスには何もありません。お支払いの場合は、リンクが途中で切れていないかご確認いただくか、新しいリンクをご依頼ください。",
  },
  needsScript:
    "このページには JavaScript が必要ですが、このブラウザでは実行されていません。お支払いには、このリンクをウォレットアプリ、または JavaScript が使えるブラウザで開いてください。",
  payBy: (time) => `お支払い期限 ${time}`,
})
