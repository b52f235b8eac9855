/**
 * Hebrew. It addresses the payer in the plural, which fits everybody.
 *
 * @module
 */
import type { CheckoutMessages } from "../CheckoutMessages.ts"
import type { CollectMessages } from "../CollectMessages.ts"
import type { Isolate } from "../Messages.ts"
import type { PlainMessages } from "../PlainMessages.ts"

export const checkout = (isolate: Isolate): CheckoutMessages => ({
  payTo: (merchant) => `תשלום אל ${isolate(merchant)}`,
  test: "בדיקה · לא כסף אמיתי",
  reference: "אסמכתה",
  amount: "סכום",
  recipient: "לטובת",
  moreItems: (count) => (count === 1 ? "עוד פריט אחד" : `עוד ${count} פריטים`),
  paying: "התשלום שלכם",
  secondsLeft: (clock) => `נותרו ${clock}`,
  minuteLeft: "נותרה דקה אחת לתשלום.",
  terms: "תנאים",
  privacy: "פרטיות",
  newWindow: "נפתח בחלון חדש",

  scan: {
    title: "סריקה לתשלום",
    text: "סרקו את הקוד במצלמת הטלפון או באפליקציית ארנק.",
  },
  qrCode: (merchant) => `קוד QR של הקישור לתשלום אל ${isolate(merchant)}`,
  inWalletApp: "תשלום באפליקציית הארנק שלכם",
  walletAppLink: "פותח את התשלום הזה באפליקציה. יצרן האפליקציה יכול לראות את קישור התשלום.",
  otherWalletApp: "אפליקציית ארנק אחרת",
  otherDevice: "תשלום ממכשיר אחר",
  otherWallet: "שימוש בארנק אחר",
  copyLink: "העתקת הקישור",
  copied: "הקישור הועתק",
  copyFailed: "ההעתקה נכשלה.",
  inThisBrowser: "תשלום בארנק שבדפדפן הזה",
  namelessWallet: "ארנק בדפדפן",
  or: "או סריקה",
  anyWallet: "מיד לאחר התשלום, התוצאה תופיע בדף הזה.",
  onAnotherDevice: "חיבור ארנק בטלפון או במכשיר אחר",
  pairing: { title: "חיבור הארנק", text: "סרקו את הקוד באפליקציית הארנק, ואשרו בה את החיבור." },

  connecting: (wallet) => ({
    title: `חיבור ${isolate(wallet)}`,
    text: `אפשרו לדף הזה לראות את החשבונות שלכם ב־${isolate(wallet)}.`,
  }),
  preparing: { title: "רק רגע", text: "אנחנו בודקים איך אפשר לשלם." },
  choose: (wallet) => ({
    title: "בחירת דרך תשלום",
    text: `מהחשבונות שלכם ב־${isolate(wallet)} אפשר לשלם בדרכים האלה.`,
  }),
  onNetwork: (network) => `ברשת ${isolate(network)}`,
  recommended: "מומלץ",
  filter: "חיפוש טוקן או רשת",
  noMatch: "אין דרך תשלום בשם הזה.",
  ways: (count) => (count === 1 ? "דרך תשלום אחת" : `${count}\u00a0דרכי תשלום`),
  aboutSeconds: (seconds) => `כ־${seconds}\u00a0שנ׳`,
  aboutMinutes: (minutes) => `כ־${minutes}\u00a0דק׳`,
  networkFee: { none: "ללא עמלת רשת", maybe: "ייתכן חיוב בעמלת רשת", some: "בתוספת עמלת רשת" },
  networkFeeAbout: (amount) => `עמלת רשת של כ־${isolate(amount)}`,
  networkFeeBelow: (amount) => `עמלת רשת של פחות מ־${isolate(amount)}`,
  balance: (amount) => `יתרה: ${isolate(amount)}`,
  steps: (least, most) => (least < most ? `${least} או ${most} שלבים` : `${most} שלבים`),
  needsData: "לאחר טופס קצר",
  form: { title: "הפרטים שלכם", text: "לתשלום הזה נדרשים כמה פרטים עליכם." },
  close: "סגירה",
  otherWay: "תשלום בדרך אחרת",

  step: (step, steps) => `שלב ${step} מתוך ${steps}`,
  sign: (wallet) => ({
    title: `חתימה ב־${isolate(wallet)}`,
    text: `פתחו את ${isolate(wallet)} וחתמו על התשלום. החתימה אינה כרוכה בעמלת רשת.`,
  }),
  allow: (wallet, amount) => ({
    title: `אישור ב־${isolate(wallet)}`,
    text: `פתחו את ${isolate(wallet)} ואשרו שימוש בעד ${isolate(amount)} לתשלום הזה. בשלב הזה עדיין לא משלמים. השלב כרוך בעמלת רשת.`,
  }),
  send: (wallet) => ({
    title: `שליחה מ־${isolate(wallet)}`,
    text: `פתחו את ${isolate(wallet)} ושלחו את התשלום. השליחה כרוכה בעמלת רשת.`,
  }),
  confirming: { title: "התשלום נשלח", text: "השאירו את הדף הזה פתוח עוד רגע." },
  processing: {
    title: "התשלום בדרך",
    text: "הרשת מאשרת אותו, לרוב בתוך דקה. אפשר לעזוב את הדף: התשלום יימשך.",
  },
  confirmations: "אישורים",
  blocks: (confirmed, needed) =>
    needed === 1 ? `${confirmed} מתוך בלוק אחד` : `${confirmed} מתוך ${needed} בלוקים`,

  cancel: "ביטול התשלום",
  cancelling: (merchant) => ({
    title: "לבטל את התשלום הזה?",
    text: `לאחר הביטול אי אפשר יהיה לשלם אל ${isolate(merchant)} בקישור הזה.`,
  }),
  keep: "השארת התשלום",

  noFit: (wallet) => ({
    title: "אי אפשר לשלם כעת מהארנק הזה",
    text: `באף חשבון ששותף על ידי ${isolate(wallet)} אין יתרה מספיקה של טוקן שמתקבל כעת.`,
  }),
  wouldDo: "די באחד מהסכומים האלה",
  checkAgain: "בדיקה חוזרת",

  succeeded: (merchant) => ({
    title: "שולם",
    text: `התשלום שלכם התקבל אצל ${isolate(merchant)}. תודה.`,
  }),
  unpaid: {
    failed: (merchant) => ({
      title: "התשלום נכשל",
      text: `לא ניתן היה להשלים את התשלום. בקשו מ־${isolate(merchant)} קישור חדש לתשלום.`,
    }),
    declined: () => ({
      title: "התשלום נדחה",
      text: "אי אפשר להשתמש בחשבון הזה לתשלום כאן.",
    }),
    expired: (merchant) => ({
      title: "הזמן נגמר",
      text: `התשלום לא בוצע בזמן. בקשו מ־${isolate(merchant)} קישור חדש לתשלום.`,
    }),
    cancelled: (merchant) => ({
      title: "התשלום בוטל",
      text: `התשלום הזה בוטל. אי אפשר עוד לשלם אל ${isolate(merchant)} בקישור הזה.`,
    }),
  },
  ifSent: (merchant) =>
    `אם בכל זאת יצא כסף מהחשבון שלכם עבור התשלום הזה, בקשו מ־${isolate(merchant)} החזר ומסרו את האש העסקה (hash).`,
  whatYouSent: "מה ששלחתם",
  money: {
    unsigned: (merchant) =>
      `אל תשלמו שוב. הארנק שלכם עוד צריך לחתום שהתשלום נשלח מכם: המשיכו עם אותו ארנק ואותו חשבון. אם אי אפשר, הציגו את העסקה הזו ל־${isolate(merchant)}.`,
    unreported: () => "אל תשלמו שוב. עדיין לא ניתן היה לעדכן את השירות: נסו שוב.",
    unsignedLate: (merchant) =>
      `העסקה הזו לא נחשבה לתשלום אל ${isolate(merchant)}, והארנק שלכם לא חתם שהיא נשלחה מכם. חתמו, כדי שהשירות יתעדכן והכסף יוכל לחזור אליכם. אם אי אפשר, הציגו את העסקה הזו ל־${isolate(merchant)}.`,
    unreportedLate: (merchant) =>
      `העסקה הזו לא נחשבה לתשלום אל ${isolate(merchant)}, ועדיין לא ניתן היה לעדכן את השירות. טענו מחדש את הדף, כדי שהשירות יתעדכן והכסף יוכל לחזור אליכם.`,
    reported: (merchant) =>
      `העסקה הזו לא נחשבה לתשלום אל ${isolate(merchant)}. השירות עודכן. אם הרשת ביצעה אותה, בקשו מ־${isolate(merchant)} החזר והציגו את העסקה הזו.`,
  },
  mayBeSentLate: (merchant) =>
    `הארנק שלכם התבקש לשלוח את התשלום הזה, ולא מסר אם שלח. בדקו בארנק: אם הוא עדיין שואל, סרבו. אם התשלום נשלח, בקשו מ־${isolate(merchant)} החזר ומסרו את האש העסקה (hash).`,
  signIn: (wallet) => `חתימה ב־${isolate(wallet)}`,
  refused: {
    title: "אי אפשר לשלם כאן מהארנק הזה",
    text: "אי אפשר להשתמש באף אחד מהחשבונות שלו לתשלום כאן.",
  },
  transaction: "עסקה",
  copyHash: "העתקת ההאש",
  hashCopied: "ההאש הועתק",
  seeTransaction: "הצגת העסקה",
  print: "הדפסת קבלה",
  download: "הורדת קבלה",
  receipt: "קבלה",
  issued: "הופקה",
  help: (merchant) => `שאלות? פנו אל ${isolate(merchant)}`,
  helpPage: "דף עזרה",
  backTo: (merchant) => `חזרה אל ${isolate(merchant)}`,
  leavingIn: (seconds) =>
    seconds === 1 ? "חזרה בעוד שנייה אחת" : `חזרה בעוד ${seconds}\u00a0שניות`,
  stay: "להישאר כאן",
  leave: {
    title: "לסגור את עמוד התשלום?",
    text: "ייתכן שהתשלום שלך בדרך. כדאי להישאר כאן עד שהעמוד יציג שהתשלום הגיע.",
  },
  closeAnyway: "לסגור בכל זאת",
  ownTab: {
    title: "פתיחה בלשונית חדשה",
    text: "הארנק שלך לא מופיע? יש ארנקים שזקוקים ללשונית משלהם.",
  },

  halted: {
    rejected: "נדחה בארנק שלכם",
    wallet: "בדקו את הארנק",
    offline: "אין חיבור",
    service: "השירות אינו זמין",
    other: "התשלום נעצר",
  },
  tryAgain: "ניסיון נוסף",
  reload: "טעינה מחדש",
  rejected: "סירבתם בארנק, ולכן השלב הזה לא בוצע. אפשר להמשיך מתי שתרצו.",
  pending: "הארנק שלכם ממתין לתשובה. ענו בארנק ונסו שוב.",
  wrongNetwork: (network) =>
    `הארנק שלכם לא עבר לרשת ${isolate(network)}. הוסיפו את הרשת הזו בארנק או בחרו בה, ונסו שוב.`,
  noAccount: "הארנק לא שיתף אף חשבון. בטלו את נעילת הארנק ונסו שוב.",
  otherAccount: "הארנק שיתף חשבון אחר. בחרו בארנק את החשבון ששלח את התשלום הזה ונסו שוב.",
  walletFailed: "הארנק לא הגיב כצפוי. פתחו אותו, בדקו אם נשלח ממנו משהו, ונסו שוב.",
  disconnected: "החיבור לארנק שלכם נותק. פתחו אותו, בדקו אם נשלח ממנו משהו, ונסו שוב.",
  offline: "החיבור נותק. מה שהארנק שלכם כבר עשה נשמר בדף הזה.",
  stale: "הדף הזה פתוח זמן רב. טענו אותו מחדש כדי להמשיך.",
  unsafe: "השירות ביקש דבר שהדף הזה אינו מתיר, ולכן הבקשה לא הועברה לארנק שלכם.",
  service: "השירות לא הצליח לבצע זאת כעת. נסו שוב.",
  optionExpired: "ההצעה פגה. אלה ההצעות כעת.",
  formClosed: "הטופס נסגר לפני שנשלח.",
  mayBeSent:
    "הארנק שלכם התבקש לשלוח את התשלום הזה, ולא מסר אם שלח. בדקו קודם בארנק: אם התשלום נשלח, אל תשלמו שוב ומסרו לבית העסק את האש העסקה (hash). אם לא, בחרו את הארנק כדי להמשיך.",
  sent: "שלחתם את התשלום הזה.",
  unsigned: "שלחתם את התשלום הזה, והארנק שלכם לא חתם עליו.",
  sentLate:
    "ההצעה פגה לפני שהשירות ידע ששלחתם את הכסף, ולכן התשלום לא נחשב. אל תשלמו שוב לפני שתפנו לבית העסק.",
  goOn: "כבר התחלתם לשלם. בחרו את אותו ארנק כדי להמשיך מהמקום שבו עצרתם.",
})

export const collect = (isolate: Isolate): CollectMessages => ({
  fields: {
    fullName: "שם מלא",
    dob: "תאריך לידה",
    pobCountry: "ארץ לידה",
    pobAddress: "מקום לידה",
    porCountry: "ארץ מגורים",
    porAddress: "כתובת מגורים",
    tosConfirmed: "קראתי ואני מסכים/ה לתנאים ולמדיניות הפרטיות",
  },
  title: "הפרטים שלכם",
  lead: (merchant) => `לתשלום שלכם אל ${isolate(merchant)} נדרשים כמה פרטים עליכם.`,
  test: "בדיקה · לא כסף אמיתי",
  oneOfThese: "די באחד מהפרטים האלה",
  chooseCountry: "בחירת מדינה",
  terms: "תנאים",
  privacy: "מדיניות פרטיות",
  toRead: "לקריאה לפני ההסכמה",
  newWindow: "נפתח בחלון חדש",
  send: "הסכמה ושליחה",
  sending: "שליחה…",
  problems: (count) => (count === 1 ? "פרט אחד לתיקון" : `${count} פרטים לתיקון`),

  missing: (name) => `${name}: חובה למלא.`,
  notAccepted: "שום דבר לא נשלח לפני שתסכימו לתנאים ולמדיניות הפרטיות.",
  tooShort: (name, min) => `${name}: לפחות ${min} תווים.`,
  tooLong: (name, max) => `${name}: לכל היותר ${max} תווים.`,
  notADate: (name) => `${name}: הזינו תאריך מלא.`,
  malformed: (name) => `${name}: נראה שהפרט שגוי.`,
  refused: (name) => `${name}: הפרט לא התקבל.`,

  notSent: "הפרטים שלכם לא נשמרו. בדקו את החיבור ושלחו אותם שוב.",
  doneTitle: "תודה",
  done: "הפרטים שלכם נשמרו. חזרו לארנק כדי להשלים את התשלום.",
  closedTitle: "אין עוד צורך בפרטים",
  closed: (status) =>
    ({
      requires_action: "לתשלום הזה לא נדרשים פרטים כעת.",
      processing: "התשלום כבר בדרך.",
      succeeded: "התשלום כבר בוצע.",
      failed: "התשלום נכשל.",
      expired: "תוקף התשלום פג. בקשו מבית העסק תשלום חדש.",
      cancelled: "התשלום בוטל.",
    })[status],
  absentTitle: "אי אפשר להשתמש בדף הזה",
  absent: "הקישור שגוי או ישן מדי. חזרו לארנק והתחילו מחדש.",
})

export const plain = (isolate: Isolate): PlainMessages => ({
  notFound: {
    title: "הדף לא נמצא",
    text: "אין דבר בכתובת הזו. אם רציתם לשלם, בדקו שקישור התשלום מלא, או בקשו קישור חדש.",
  },
  needsScript:
    "הדף הזה זקוק ל־JavaScript, והדפדפן הזה אינו מריץ אותו. כדי לשלם, פתחו את הקישור הזה באפליקציית ארנק, או בדפדפן שמריץ JavaScript.",
  payBy: (time) => `יש לשלם עד ${isolate(time)}`,
})
