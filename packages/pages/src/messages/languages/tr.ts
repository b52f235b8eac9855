/**
 * Turkish. No suffix follows a name, as the suffix would depend on the name's vowels, which are not known.
 *
 * @module
 */
import type { CheckoutMessages } from "../CheckoutMessages.ts"
import type { CollectMessages } from "../CollectMessages.ts"
import type { Isolate } from "../Messages.ts"
import type { PlainMessages } from "../PlainMessages.ts"

export const checkout = (isolate: Isolate): CheckoutMessages => ({
  payTo: (merchant) => `Ödeme: ${isolate(merchant)}`,
  test: "TEST · gerçek para değil",
  reference: "Referans",
  amount: "Tutar",
  recipient: "Alıcı",
  moreItems: (count) => `${count} ürün daha`,
  paying: "Ödeyeceğiniz tutar",
  secondsLeft: (clock) => `kalan süre ${clock}`,
  minuteLeft: "Ödemek için bir dakikanız kaldı.",
  terms: "Koşullar",
  privacy: "Gizlilik",
  newWindow: "yeni pencerede açılır",

  scan: {
    title: "Ödemek için tarayın",
    text: "Bu kodu telefonunuzun kamerasıyla veya bir cüzdan uygulamasıyla tarayın.",
  },
  qrCode: (merchant) => `Ödeme bağlantısının QR kodu, alıcı: ${isolate(merchant)}`,
  inWalletApp: "Cüzdan uygulamanızda ödeyin",
  walletAppLink: "Bu ödemeyi uygulamada açar. Uygulamanın üreticisi ödeme bağlantısını görebilir.",
  otherWalletApp: "Başka bir cüzdan uygulaması",
  otherDevice: "Başka bir cihazla öde",
  otherWallet: "Başka bir cüzdan kullan",
  copyLink: "Bağlantıyı kopyala",
  copied: "Bağlantı kopyalandı",
  copyFailed: "Kopyalanamadı.",
  inThisBrowser: "Bu tarayıcıdaki bir cüzdanla ödeyin",
  namelessWallet: "Tarayıcı cüzdanı",
  or: "veya tarayın",
  anyWallet: "Ödediğiniz anda bu sayfada görünür.",
  onAnotherDevice: "Telefonunuzdaki veya başka bir cihazdaki cüzdanı bağlayın",
  pairing: {
    title: "Cüzdanınızı bağlayın",
    text: "Kodu cüzdan uygulamanızla tarayın ve bağlantıya orada izin verin.",
  },

  connecting: (wallet) => ({
    title: `${isolate(wallet)} cüzdanını bağlayın`,
    text: `Bu sayfanın ${isolate(wallet)} cüzdanındaki hesaplarınızı görmesine izin verin.`,
  }),
  preparing: { title: "Bir saniye", text: "Nasıl ödeyebileceğinize bakıyoruz." },
  choose: (wallet) => ({
    title: "Ödeme yolunu seçin",
    text: `${isolate(wallet)} cüzdanındaki hesaplarınızla şu yollarla ödeyebilirsiniz.`,
  }),
  onNetwork: (network) => `${isolate(network)} ağı`,
  recommended: "Önerilen",
  filter: "Token veya ağ arayın",
  noMatch: "Adında bu geçen bir ödeme yolu yok.",
  ways: (count) => `${count} ödeme yolu`,
  aboutSeconds: (seconds) => `yaklaşık ${seconds}\u00a0sn`,
  aboutMinutes: (minutes) => `yaklaşık ${minutes}\u00a0dk`,
  networkFee: {
    none: "ağ ücreti yok",
    maybe: "ağ ücreti alınabilir",
    some: "artı ağ ücreti",
  },
  networkFeeAbout: (amount) => `ağ ücreti yaklaşık ${amount}`,
  networkFeeBelow: (amount) => `ağ ücreti en fazla ${amount}`,
  balance: (amount) => `Bakiye: ${amount}`,
  steps: (least, most) => (least < most ? `${least} veya ${most} adım` : `${most} adım`),
  needsData: "önce kısa bir form",
  form: { title: "Bilgileriniz", text: "Bu ödeme için sizden birkaç bilgi gerekiyor." },
  close: "Kapat",
  otherWay: "Başka bir yolla öde",

  step: (step, steps) => `Adım ${step} / ${steps}`,
  sign: (wallet) => ({
    title: `${isolate(wallet)} cüzdanında imzalayın`,
    text: `${isolate(wallet)} cüzdanını açıp ödemeyi imzalayın. İmza için ağ ücreti alınmaz.`,
  }),
  allow: (wallet, amount) => ({
    title: `${isolate(wallet)} cüzdanında izin verin`,
    text: `${isolate(wallet)} cüzdanını açıp bu ödeme için en fazla ${isolate(amount)} kullanılmasına izin verin. Bu adımda ödeme yapılmaz. Ağ ücreti alınır.`,
  }),
  send: (wallet) => ({
    title: `${isolate(wallet)} cüzdanından gönderin`,
    text: `${isolate(wallet)} cüzdanını açıp ödemeyi gönderin. Ağ ücreti alınır.`,
  }),
  confirming: {
    title: "Ödemeniz gönderiliyor",
    text: "Bu sayfayı bir süre daha açık tutun.",
  },
  processing: {
    title: "Ödeme yolda",
    text: "Ağ ödemeyi onaylıyor, bu genellikle bir dakikadan kısa sürer. Bu sayfadan ayrılabilirsiniz: ödeme devam eder.",
  },
  confirmations: "Onaylar",
  blocks: (confirmed, needed) => `${confirmed} / ${needed} blok`,

  cancel: "Ödemeyi iptal et",
  cancelling: (merchant) => ({
    title: "Bu ödeme iptal edilsin mi?",
    text: `Bundan sonra bu bağlantıyla satıcıya (${isolate(merchant)}) ödeme yapılamaz.`,
  }),
  keep: "Ödemeyi koru",

  noFit: (wallet) => ({
    title: "Bu cüzdan şu anda ödeyemiyor",
    text: `${isolate(wallet)} cüzdanının paylaştığı hiçbir hesapta, şu anda kabul edilen token’lardan yeterli miktarda yok.`,
  }),
  wouldDo: "Bu tutarlardan biri yeterlidir",
  checkAgain: "Yeniden kontrol et",

  succeeded: (merchant) => ({
    title: "Ödendi",
    text: `Ödemeniz alındı. Alıcı: ${isolate(merchant)}. Teşekkür ederiz.`,
  }),
  unpaid: {
    failed: (merchant) => ({
      title: "Ödeme başarısız oldu",
      text: `Ödeme tamamlanamadı. Satıcıdan (${isolate(merchant)}) yeni bir ödeme bağlantısı isteyin.`,
    }),
    declined: () => ({
      title: "Ödeme reddedildi",
      text: "Bu hesap burada ödeme için kullanılamaz.",
    }),
    expired: (merchant) => ({
      title: "Süre doldu",
      text: `Ödeme süresinde yapılmadı. Satıcıdan (${isolate(merchant)}) yeni bir ödeme bağlantısı isteyin.`,
    }),
    cancelled: (merchant) => ({
      title: "Ödeme iptal edildi",
      text: `Bu ödeme iptal edildi. Bu bağlantıyla satıcıya (${isolate(merchant)}) artık ödeme yapılamaz.`,
    }),
  },
  ifSent: (merchant) =>
    `Bu ödeme için yine de hesabınızdan para çıktıysa satıcıdan (${isolate(merchant)}) iade isteyin ve işlemin hash değerini bildirin.`,
  whatYouSent: "Gönderdiğiniz tutar",
  money: {
    unsigned: (merchant) =>
      `Yeniden ödemeyin. Cüzdanınızın, gönderenin siz olduğunuzu imzalaması gerekiyor: aynı cüzdan ve aynı hesapla devam edin. Edemiyorsanız bu işlemi satıcıya (${isolate(merchant)}) gösterin.`,
    unreported: () => "Yeniden ödemeyin. Bu ödeme hizmete henüz bildirilemedi: yeniden deneyin.",
    unsignedLate: (merchant) =>
      `Bu işlem satıcıya (${isolate(merchant)}) ödeme sayılmadı ve cüzdanınız, gönderenin siz olduğunuzu imzalamadı. Hizmetin haberi olması ve paranın iade edilebilmesi için imzalayın. İmzalayamıyorsanız bu işlemi satıcıya (${isolate(merchant)}) gösterin.`,
    unreportedLate: (merchant) =>
      `Bu işlem satıcıya (${isolate(merchant)}) ödeme sayılmadı ve hizmete henüz bildirilemedi. Hizmetin haberi olması ve paranın iade edilebilmesi için bu sayfayı yenileyin.`,
    reported: (merchant) =>
      `Bu işlem satıcıya (${isolate(merchant)}) ödeme sayılmadı. Hizmete bildirildi. Ağ işlemi gerçekleştirdiyse satıcıdan (${isolate(merchant)}) iade isteyin ve bu işlemi gösterin.`,
  },
  mayBeSentLate: (merchant) =>
    `Cüzdanınızdan bu ödemeyi göndermesi istendi, ama gönderip göndermediğini bildirmedi. Cüzdana bakın: hâlâ soruyorsa reddedin. Gönderildiyse satıcıdan (${isolate(merchant)}) iade isteyin ve hash değerini bildirin.`,
  signIn: (wallet) => `${isolate(wallet)} cüzdanında imzala`,
  refused: {
    title: "Bu cüzdan burada ödeyemez",
    text: "Hesaplarının hiçbiri burada ödeme için kullanılamaz.",
  },
  transaction: "İşlem",
  copyHash: "Hash’i kopyala",
  hashCopied: "Hash kopyalandı",
  seeTransaction: "İşlemi gör",
  print: "Makbuzu yazdır",
  download: "Makbuzu indir",
  receipt: "Makbuz",
  issued: "Düzenlenme tarihi",
  help: (merchant) => `Sorularınız mı var? Satıcıya ulaşın: ${isolate(merchant)}`,
  helpPage: "Yardım sayfası",
  backTo: (merchant) => `Geri dön: ${isolate(merchant)}`,
  leavingIn: (seconds) => `${seconds}\u00a0saniye içinde geri döneceksiniz`,
  stay: "Burada kal",
  leave: {
    title: "Ödeme sayfası kapatılsın mı?",
    text: "Ödemeniz yolda olabilir. Bu sayfa ulaştığını gösterene kadar burada kalın.",
  },
  closeAnyway: "Yine de kapat",
  ownTab: {
    title: "Yeni sekmede aç",
    text: "Cüzdanınız görünmüyor mu? Bazı cüzdanlar kendi sekmesine ihtiyaç duyar.",
  },

  halted: {
    rejected: "Cüzdanınızda reddedildi",
    wallet: "Cüzdanınızı kontrol edin",
    offline: "Bağlantı yok",
    service: "Hizmet kullanılamıyor",
    other: "Ödeme durdu",
  },
  tryAgain: "Yeniden dene",
  reload: "Yenile",
  rejected: "Cüzdanınızda reddettiniz, bu yüzden bu adım yapılmadı. İstediğiniz zaman devam edin.",
  pending: "Cüzdanınız bir yanıt bekliyor. Orada yanıtlayıp yeniden deneyin.",
  wrongNetwork: (network) =>
    `Cüzdanınız ${isolate(network)} ağına geçmedi. Cüzdanınızda bu ağı ekleyin veya seçin, sonra yeniden deneyin.`,
  noAccount: "Cüzdan hiçbir hesap paylaşmadı. Cüzdanın kilidini açıp yeniden deneyin.",
  otherAccount:
    "Cüzdan başka bir hesap paylaştı. Cüzdanda bu ödemeyi gönderen hesabı seçip yeniden deneyin.",
  walletFailed:
    "Cüzdan beklendiği gibi yanıt vermedi. Cüzdanı açın, bir şey gönderip göndermediğine bakın, sonra yeniden deneyin.",
  disconnected:
    "Cüzdanınızla bağlantı sona erdi. Cüzdanı açın, bir şey gönderip göndermediğine bakın, sonra yeniden deneyin.",
  offline: "Bağlantı kesildi. Cüzdanınızın şimdiye kadar yaptıkları bu sayfada saklanıyor.",
  stale: "Bu sayfa uzun süredir açık. Devam etmek için yenileyin.",
  unsafe: "Hizmet, bu sayfanın izin vermediği bir şey istedi. Bu yüzden cüzdanınıza sorulmadı.",
  service: "Hizmet bunu şu anda yapamadı. Lütfen yeniden deneyin.",
  optionExpired: "Bu teklifin süresi doldu. Şu anki teklifler bunlar.",
  formClosed: "Form gönderilmeden kapatıldı.",
  mayBeSent:
    "Cüzdanınızdan bu ödemeyi göndermesi istendi, ama gönderip göndermediğini bildirmedi. Önce cüzdana bakın: gönderildiyse yeniden ödemeyin ve hash değerini satıcıya bildirin. Gönderilmediyse devam etmek için cüzdanı seçin.",
  sent: "Bu ödemeyi gönderdiniz.",
  unsigned: "Bu ödemeyi gönderdiniz, ama cüzdanınız imzalamadı.",
  sentLate:
    "Teklifin süresi, hizmet parayı gönderdiğinizi öğrenmeden doldu; bu yüzden ödeme sayılmadı. Satıcıya sormadan yeniden ödemeyin.",
  goOn: "Ödemeye başladınız. Kaldığınız yerden devam etmek için aynı cüzdanı seçin.",
})

export const collect = (isolate: Isolate): CollectMessages => ({
  fields: {
    fullName: "Ad ve soyad",
    dob: "Doğum tarihi",
    pobCountry: "Doğduğunuz ülke",
    pobAddress: "Doğum yeri",
    porCountry: "Yaşadığınız ülke",
    porAddress: "İkamet adresi",
    tosConfirmed: "Koşulları ve gizlilik politikasını kabul ediyorum",
  },
  title: "Bilgileriniz",
  lead: (merchant) => `Ödemeniz için sizden birkaç bilgi gerekiyor. Alıcı: ${isolate(merchant)}.`,
  test: "TEST · gerçek para değil",
  oneOfThese: "Bunlardan biri yeterlidir",
  chooseCountry: "Ülke seçin",
  terms: "Koşullar",
  privacy: "Gizlilik politikası",
  toRead: "Kabul etmeden önce okuyun",
  newWindow: "yeni pencerede açılır",
  send: "Kabul et ve gönder",
  sending: "Gönderiliyor…",
  problems: (count) => `Düzeltilecek ${count} alan`,

  missing: (name) => `${name}: bu bilgi eksik.`,
  notAccepted: "Koşulları ve gizlilik politikasını kabul etmeden hiçbir şey gönderilmez.",
  tooShort: (name, min) => `${name}: en az ${min} karakter.`,
  tooLong: (name, max) => `${name}: en fazla ${max} karakter.`,
  notADate: (name) => `${name}: tam bir tarih girin.`,
  malformed: (name) => `${name}: bu bilgi doğru görünmüyor.`,
  refused: (name) => `${name}: bu bilgi kabul edilmedi.`,

  notSent: "Bilgileriniz kaydedilmedi. Bağlantınızı kontrol edip yeniden gönderin.",
  doneTitle: "Teşekkür ederiz",
  done: "Bilgileriniz kaydedildi. Ödemeyi tamamlamak için cüzdanınıza dönün.",
  closedTitle: "Artık bilgi gerekmiyor",
  closed: (status) =>
    ({
      requires_action: "Bu ödeme için şu anda bilgi gerekmiyor.",
      processing: "Ödeme zaten yolda.",
      succeeded: "Ödeme zaten yapıldı.",
      failed: "Ödeme başarısız oldu.",
      expired: "Ödemenin süresi doldu. Satıcıdan yeni bir ödeme isteyin.",
      cancelled: "Ödeme iptal edildi.",
    })[status],
  absentTitle: "Bu sayfa kullanılamıyor",
  absent: "Bağlantı yanlış veya çok eski. Cüzdanınıza dönüp yeniden başlayın.",
})

export const plain = (): PlainMessages => ({
  notFound: {
    title: "Sayfa bulunamadı",
    text: "Bu adreste bir şey yok. Ödeme yapmak istiyorsanız ödeme bağlantısının eksiksiz olduğunu kontrol edin veya yenisini isteyin.",
  },
  needsScript:
    "Bu sayfa JavaScript gerektiriyor, ancak bu tarayıcı onu çalıştırmıyor. Ödemek için bu bağlantıyı bir cüzdan uygulamasında veya JavaScript çalıştıran bir tarayıcıda açın.",
  payBy: (time) => `Son ödeme zamanı: ${time}`,
})
