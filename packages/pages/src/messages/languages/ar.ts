/**
 * Arabic. One and two of a thing are words without a number.
 *
 * @module
 */
import type { CheckoutMessages } from "../CheckoutMessages.ts"
import type { CollectMessages } from "../CollectMessages.ts"
import type { Isolate } from "../Messages.ts"
import type { PlainMessages } from "../PlainMessages.ts"

const rules = new Intl.PluralRules("ar")

interface Forms {
  readonly one: string
  readonly two: string
  /** From 3 to 10. */
  readonly few: string
  /** From 11 to 99. */
  readonly many: string
  /** Whole hundreds. */
  readonly other: string
}

const counted = (count: number, forms: Forms): string => {
  const form = rules.select(count)
  if (form === "one" || form === "two") return forms[form]
  return `${count}\u00a0${form === "zero" ? forms.other : forms[form]}`
}

const ways: Forms = {
  one: "طريقة دفع واحدة",
  two: "طريقتا دفع",
  few: "طرق دفع",
  many: "طريقة دفع",
  other: "طريقة دفع",
}
const steps: Forms = {
  one: "خطوة واحدة",
  two: "خطوتان",
  few: "خطوات",
  many: "خطوة",
  other: "خطوة",
}
/** After a preposition. */
const seconds: Forms = {
  one: "ثانية واحدة",
  two: "ثانيتين",
  few: "ثوانٍ",
  many: "ثانية",
  other: "ثانية",
}
/** After a preposition. */
const minutes: Forms = {
  one: "دقيقة واحدة",
  two: "دقيقتين",
  few: "دقائق",
  many: "دقيقة",
  other: "دقيقة",
}
/** After a preposition. */
const blocks: Forms = {
  one: "كتلة واحدة",
  two: "كتلتين",
  few: "كتل",
  many: "كتلة",
  other: "كتلة",
}
const moreItems: Forms = {
  one: "عنصر واحد آخر",
  two: "عنصران آخران",
  few: "عناصر أخرى",
  many: "عنصرًا آخر",
  other: "عنصر آخر",
}
const characters: Forms = {
  one: "حرف واحد",
  two: "حرفان",
  few: "أحرف",
  many: "حرفًا",
  other: "حرف",
}
const problems: Forms = {
  one: "حقل واحد يحتاج إلى تصحيح",
  two: "حقلان يحتاجان إلى تصحيح",
  few: "حقول تحتاج إلى تصحيح",
  many: "حقلًا يحتاج إلى تصحيح",
  other: "حقل يحتاج إلى تصحيح",
}

export const checkout = (isolate: Isolate): CheckoutMessages => ({
  payTo: (merchant) => `الدفع إلى ${isolate(merchant)}`,
  test: "اختبار · ليست أموالًا حقيقية",
  reference: "المرجع",
  amount: "المبلغ",
  recipient: "المستفيد",
  moreItems: (count) => counted(count, moreItems),
  paying: "ستدفع",
  secondsLeft: (clock) => `الوقت المتبقي ${clock}`,
  minuteLeft: "بقيت دقيقة واحدة للدفع.",
  terms: "الشروط",
  privacy: "الخصوصية",
  newWindow: "يُفتح في نافذة جديدة",

  scan: {
    title: "امسح الرمز للدفع",
    text: "امسح هذا الرمز بكاميرا هاتفك أو بتطبيق محفظة.",
  },
  qrCode: (merchant) => `رمز الاستجابة السريعة لرابط الدفع إلى ${isolate(merchant)}`,
  inWalletApp: "ادفع في تطبيق محفظتك",
  walletAppLink: "يفتح هذه الدفعة في التطبيق. يمكن لصانع التطبيق أن يرى رابط الدفع.",
  otherWalletApp: "تطبيق محفظة آخر",
  otherDevice: "الدفع من جهاز آخر",
  otherWallet: "استخدام محفظة أخرى",
  copyLink: "نسخ الرابط",
  copied: "تم نسخ الرابط",
  copyFailed: "تعذّر النسخ.",
  inThisBrowser: "ادفع بمحفظة في هذا المتصفح",
  namelessWallet: "محفظة المتصفح",
  or: "أو امسح الرمز",
  anyWallet: "ستعرض هذه الصفحة النتيجة فور إتمام الدفع.",
  onAnotherDevice: "اربط محفظة على هاتفك أو على جهاز آخر",
  pairing: { title: "اربط محفظتك", text: "امسح الرمز بتطبيق محفظتك، ثم اسمح بالاتصال فيه." },

  connecting: (wallet) => ({
    title: `ربط ${isolate(wallet)}`,
    text: `اسمح لهذه الصفحة بالاطلاع على حساباتك في ${isolate(wallet)}.`,
  }),
  preparing: { title: "لحظة من فضلك", text: "نبحث عن طرق الدفع المتاحة لك." },
  choose: (wallet) => ({
    title: "اختر طريقة الدفع",
    text: `يمكنك الدفع من حساباتك في ${isolate(wallet)} بهذه الطرق.`,
  }),
  onNetwork: (network) => `على شبكة ${isolate(network)}`,
  recommended: "موصى بها",
  filter: "ابحث عن عملة رقمية أو شبكة",
  noMatch: "لا توجد طريقة دفع بهذا الاسم.",
  ways: (count) => counted(count, ways),
  aboutSeconds: (count) => `نحو ${counted(count, seconds)}`,
  aboutMinutes: (count) => `نحو ${counted(count, minutes)}`,
  networkFee: {
    none: "بدون رسوم شبكة",
    maybe: "قد تُضاف رسوم شبكة",
    some: "تُضاف رسوم شبكة",
  },
  networkFeeAbout: (amount) => `رسوم شبكة نحو ${isolate(amount)}`,
  networkFeeBelow: (amount) => `رسوم شبكة أقل من ${isolate(amount)}`,
  balance: (amount) => `الرصيد: ${isolate(amount)}`,
  steps: (least, most) =>
    least < most ? `${counted(least, steps)} أو ${counted(most, steps)}` : counted(most, steps),
  needsData: "بعد تعبئة نموذج قصير",
  form: { title: "بياناتك", text: "تتطلب هذه الدفعة بعض البيانات عنك." },
  close: "إغلاق",
  otherWay: "الدفع بطريقة أخرى",

  step: (step, of) => `الخطوة ${step} من ${of}`,
  sign: (wallet) => ({
    title: `التوقيع في ${isolate(wallet)}`,
    text: `افتح ${isolate(wallet)} ووقّع الدفعة. لا رسوم شبكة على التوقيع.`,
  }),
  allow: (wallet, amount) => ({
    title: `السماح في ${isolate(wallet)}`,
    text: `افتح ${isolate(wallet)} واسمح باستخدام ما لا يزيد على ${isolate(amount)} لهذه الدفعة. لا يُدفع المبلغ في هذه الخطوة. تُفرض عليها رسوم شبكة.`,
  }),
  send: (wallet) => ({
    title: `الإرسال من ${isolate(wallet)}`,
    text: `افتح ${isolate(wallet)} وأرسل الدفعة. تُفرض على ذلك رسوم شبكة.`,
  }),
  confirming: { title: "جارٍ إرسال الدفعة", text: "أبقِ هذه الصفحة مفتوحة للحظات." },
  processing: {
    title: "الدفعة في الطريق",
    text: "تعمل الشبكة على تأكيدها، وعادةً ما يستغرق ذلك أقل من دقيقة. يمكنك مغادرة هذه الصفحة، وستستمر الدفعة.",
  },
  confirmations: "التأكيدات",
  blocks: (confirmed, needed) => `${confirmed} من ${counted(needed, blocks)}`,

  cancel: "إلغاء الدفعة",
  cancelling: (merchant) => ({
    title: "هل تريد إلغاء هذه الدفعة؟",
    text: `بعد الإلغاء لن يكون الدفع إلى ${isolate(merchant)} ممكنًا بهذا الرابط.`,
  }),
  keep: "الإبقاء على الدفعة",

  noFit: (wallet) => ({
    title: "لا يمكن الدفع بهذه المحفظة الآن",
    text: `لا يوجد في الحسابات التي شاركتها ${isolate(wallet)} رصيد كافٍ من أي عملة رقمية مقبولة الآن.`,
  }),
  wouldDo: "يكفي أحد هذه المبالغ",
  checkAgain: "التحقق مرة أخرى",

  succeeded: (merchant) => ({
    title: "تم الدفع",
    text: `وصلت دفعتك إلى ${isolate(merchant)}. شكرًا لك.`,
  }),
  unpaid: {
    failed: (merchant) => ({
      title: "فشلت عملية الدفع",
      text: `تعذّر إتمام الدفع. اطلب رابط دفع جديدًا من ${isolate(merchant)}.`,
    }),
    declined: () => ({
      title: "رُفضت عملية الدفع",
      text: "لا يمكن استخدام هذا الحساب للدفع هنا.",
    }),
    expired: (merchant) => ({
      title: "انتهى الوقت",
      text: `لم يتم الدفع في الوقت المحدد. اطلب رابط دفع جديدًا من ${isolate(merchant)}.`,
    }),
    cancelled: (merchant) => ({
      title: "أُلغيت عملية الدفع",
      text: `أُلغيت هذه العملية. لم يعد الدفع إلى ${isolate(merchant)} ممكنًا بهذا الرابط.`,
    }),
  },
  ifSent: (merchant) =>
    `إذا خرجت أموال من حسابك لهذه الدفعة رغم ذلك، فاطلب من ${isolate(merchant)} استردادها وقدّم هاش المعاملة.`,
  whatYouSent: "ما أرسلته",
  money: {
    unsigned: (merchant) =>
      `لا تدفع مرة أخرى. لا يزال على محفظتك أن توقّع بأن الإرسال منك: تابِع بالمحفظة نفسها والحساب نفسه. إذا تعذّر ذلك، فاعرض هذه المعاملة على ${isolate(merchant)}.`,
    unreported: () => "لا تدفع مرة أخرى. تعذّر إبلاغ الخدمة بالمعاملة حتى الآن: حاول مرة أخرى.",
    unsignedLate: (merchant) =>
      `لم تُحتسب هذه المعاملة دفعًا إلى ${isolate(merchant)}، ولم توقّع محفظتك بأن الإرسال منك. وقّع لتعلم الخدمة بها ويمكن رد المبلغ. إذا تعذّر ذلك، فاعرض هذه المعاملة على ${isolate(merchant)}.`,
    unreportedLate: (merchant) =>
      `لم تُحتسب هذه المعاملة دفعًا إلى ${isolate(merchant)}، وتعذّر إبلاغ الخدمة بها حتى الآن. أعد تحميل هذه الصفحة لتعلم الخدمة بها ويمكن رد المبلغ.`,
    reported: (merchant) =>
      `لم تُحتسب هذه المعاملة دفعًا إلى ${isolate(merchant)}. تم إبلاغ الخدمة بها. إذا نفّذتها الشبكة، فاطلب من ${isolate(merchant)} استرداد المبلغ واعرض هذه المعاملة.`,
  },
  mayBeSentLate: (merchant) =>
    `طُلب من محفظتك إرسال هذه الدفعة، ولم تُبلغ إن كانت قد أرسلتها. تحقق من المحفظة: إذا كانت لا تزال تسأل، فارفض. وإذا أُرسلت الدفعة، فاطلب من ${isolate(merchant)} استرداد المبلغ وقدّم هاش المعاملة.`,
  signIn: (wallet) => `التوقيع في ${isolate(wallet)}`,
  refused: {
    title: "لا يمكن الدفع بهذه المحفظة هنا",
    text: "لا يمكن استخدام أي من حساباتها للدفع هنا.",
  },
  transaction: "المعاملة",
  copyHash: "نسخ الهاش",
  hashCopied: "تم نسخ الهاش",
  seeTransaction: "عرض المعاملة",
  print: "طباعة الإيصال",
  download: "تنزيل الإيصال",
  receipt: "إيصال",
  issued: "تاريخ الإصدار",
  help: (merchant) => `هل لديك أسئلة؟ تواصل مع ${isolate(merchant)}`,
  helpPage: "صفحة المساعدة",
  backTo: (merchant) => `العودة إلى ${isolate(merchant)}`,
  leavingIn: (count) => `ستعود خلال ${counted(count, seconds)}`,
  stay: "البقاء هنا",
  leave: {
    title: "هل تريد إغلاق صفحة الدفع؟",
    text: "قد تكون دفعتك في الطريق. ابقَ هنا حتى تُظهر هذه الصفحة أنها وصلت.",
  },
  closeAnyway: "إغلاق على أي حال",
  ownTab: {
    title: "فتح في علامة تبويب جديدة",
    text: "هل محفظتك غير ظاهرة؟ تحتاج بعض المحافظ إلى علامة تبويب خاصة بها.",
  },

  halted: {
    rejected: "رُفض في محفظتك",
    wallet: "تحقق من محفظتك",
    offline: "لا يوجد اتصال",
    service: "الخدمة غير متاحة",
    other: "توقفت عملية الدفع",
  },
  tryAgain: "حاول مرة أخرى",
  reload: "إعادة التحميل",
  rejected: "رفضتَ في محفظتك، لذلك لم تُنفَّذ هذه الخطوة. تابِع متى شئت.",
  pending: "محفظتك في انتظار رد. أجب فيها، ثم حاول مرة أخرى.",
  wrongNetwork: (network) =>
    `لم تنتقل محفظتك إلى ${isolate(network)}. أضف هذه الشبكة أو اخترها في محفظتك، ثم حاول مرة أخرى.`,
  noAccount: "لم تشارك المحفظة أي حساب. افتح قفلها، ثم حاول مرة أخرى.",
  otherAccount: "شاركت المحفظة حسابًا آخر. اختر فيها الحساب الذي أرسل هذه الدفعة، ثم حاول مرة أخرى.",
  walletFailed:
    "لم تستجب المحفظة كما ينبغي. افتحها وتحقق مما إذا كانت قد أرسلت شيئًا، ثم حاول مرة أخرى.",
  disconnected: "انقطع الاتصال بمحفظتك. افتحها وتحقق مما إذا كانت قد أرسلت شيئًا، ثم حاول مرة أخرى.",
  offline: "انقطع الاتصال. ما أنجزته محفظتك حتى الآن محفوظ في هذه الصفحة.",
  stale: "هذه الصفحة مفتوحة منذ وقت طويل. أعد تحميلها للمتابعة.",
  unsafe: "طلبت الخدمة أمرًا لا تسمح به هذه الصفحة، لذلك لم يُرسل الطلب إلى محفظتك.",
  service: "تعذّر على الخدمة تنفيذ ذلك الآن. يرجى المحاولة مرة أخرى.",
  optionExpired: "انتهى ذلك العرض. هذه هي العروض المتاحة الآن.",
  formClosed: "أُغلق النموذج قبل إرساله.",
  mayBeSent:
    "طُلب من محفظتك إرسال هذه الدفعة، ولم تُبلغ إن كانت قد أرسلتها. تحقق من المحفظة أولًا: إذا أُرسلت الدفعة، فلا تدفع مرة أخرى وقدّم هاش المعاملة إلى التاجر. وإلا فاختر المحفظة للمتابعة.",
  sent: "لقد أرسلت هذه الدفعة.",
  unsigned: "لقد أرسلت هذه الدفعة، ولم توقّعها محفظتك.",
  sentLate:
    "انتهى العرض قبل أن تعلم الخدمة بأنك أرسلت المبلغ، لذلك لا تُحتسب الدفعة. لا تدفع مرة أخرى قبل أن تسأل التاجر.",
  goOn: "لقد بدأت الدفع. اختر المحفظة نفسها للمتابعة من حيث توقفت.",
})

export const collect = (isolate: Isolate): CollectMessages => ({
  fields: {
    fullName: "الاسم الكامل",
    dob: "تاريخ الميلاد",
    pobCountry: "بلد الميلاد",
    pobAddress: "مكان الميلاد",
    porCountry: "بلد الإقامة",
    porAddress: "عنوان الإقامة",
    tosConfirmed: "أوافق على الشروط وسياسة الخصوصية",
  },
  title: "بياناتك",
  lead: (merchant) => `تتطلب دفعتك إلى ${isolate(merchant)} بعض البيانات عنك.`,
  test: "اختبار · ليست أموالًا حقيقية",
  oneOfThese: "يكفي أحد هذه البيانات",
  chooseCountry: "اختر بلدًا",
  terms: "الشروط",
  privacy: "سياسة الخصوصية",
  toRead: "للقراءة قبل الموافقة",
  newWindow: "يُفتح في نافذة جديدة",
  send: "موافقة وإرسال",
  sending: "جارٍ الإرسال…",
  problems: (count) => counted(count, problems),

  missing: (name) => `${name}: هذا الحقل مطلوب.`,
  notAccepted: "لن يُرسل أي شيء قبل أن توافق على الشروط وسياسة الخصوصية.",
  tooShort: (name, min) => `${name}: الحد الأدنى ${counted(min, characters)}.`,
  tooLong: (name, max) => `${name}: الحد الأقصى ${counted(max, characters)}.`,
  notADate: (name) => `${name}: أدخل تاريخًا كاملًا.`,
  malformed: (name) => `${name}: يبدو أن القيمة غير صحيحة.`,
  refused: (name) => `${name}: لم تُقبل هذه القيمة.`,

  notSent: "لم تُحفظ بياناتك. تحقق من اتصالك وأرسلها مرة أخرى.",
  doneTitle: "شكرًا لك",
  done: "تم حفظ بياناتك. عد إلى محفظتك لإتمام الدفع.",
  closedTitle: "لم تعد هناك حاجة إلى بيانات",
  closed: (status) =>
    ({
      requires_action: "لا تتطلب هذه الدفعة بيانات الآن.",
      processing: "الدفعة في الطريق بالفعل.",
      succeeded: "تم الدفع بالفعل.",
      failed: "فشلت عملية الدفع.",
      expired: "انتهت صلاحية هذه الدفعة. اطلب من التاجر دفعة جديدة.",
      cancelled: "أُلغيت عملية الدفع.",
    })[status],
  absentTitle: "لا يمكن استخدام هذه الصفحة",
  absent: "رابطها غير صحيح أو قديم جدًا. عد إلى محفظتك وابدأ من جديد.",
})

export const plain = (isolate: Isolate): PlainMessages => ({
  notFound: {
    title: "الصفحة غير موجودة",
    text: "لا يوجد شيء في هذا العنوان. إذا أردت الدفع، فتحقق من اكتمال رابط الدفع، أو اطلب رابطًا جديدًا.",
  },
  needsScript:
    "تحتاج هذه الصفحة إلى JavaScript، وهذا المتصفح لا يشغّله. للدفع، افتح هذا الرابط في تطبيق محفظة، أو في متصفح يشغّل JavaScript.",
  payBy: (time) => `ادفع قبل ${isolate(time)}`,
})
