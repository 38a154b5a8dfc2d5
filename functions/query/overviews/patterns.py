"""The words in which readers ask for an overview, as patterns over a plain question."""

from __future__ import annotations

from functions.answer.text.words import LazyPattern

ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
).split()
CARDINALS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty"
).split()

ROMANS = ("", *"i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx".split())
UNITS = {
    "chapter": "chapter", "chap": "chapter", "ch": "chapter", "part": "chapter",
    "unit": "chapter", "module": "chapter", "lesson": "chapter",
    "section": "section", "sec": "section", "subsection": "section", "paragraph": "section",
    "page": "page", "article": "page", "document": "page",
}  # fmt: skip

_UNIT = (
    r"(?P<unit>chapter|chap\.?|ch\.?|part|unit|module|lesson|section|sec\.?|subsection|"
    r"page|article|document)"
)
_NUMBER = (
    r"(?:number |no\.? ?|nr\.? ?|#)?(?P<number>\d{1,3}(?:\.\d{1,3})*|"
    + "|".join(sorted((*CARDINALS, *ROMANS[2:], "i"), key=len, reverse=True))
    + r")"
)
_READING = (
    r"(?: here| above| right here| now| (?:that )?(?:i am|i'm|we are|we're)"
    r"(?: currently| now)? (?:reading|on|in|at|looking at)| i have open| in front of me)?"
)
PLACES = tuple(
    (kind, LazyPattern(pattern))
    for kind, pattern in (
        ("book", r"(?:this|the|your|that|our)(?: whole| entire| complete| full)?"
                 r" (?:book|textbook|course|manual|guide|documentation|docs|site|website)"
                 r"|everything|(?:each|every|all(?: the)?) chapters?"),
        ("here", r"(?:this|the current|the open|the present|the|my|that|my current)"
                 r"(?: whole| entire| very)? " + _UNIT + _READING),
        ("here", r"(?P<unit>what i(?:'m| am) (?:reading|looking at)|it all|all (?:of )?this|this)"
                 r"(?: here| text)?"),
        ("numbered", r"(?:the )?(?:whole |entire )?(?P<unit>chapter|chap\.?|ch\.?|part|unit|module|"
                     r"lesson|section|sec\.?) ?" + _NUMBER),
        ("numbered", r"the (?:very )?(?P<number>" + "|".join(ORDINALS)
                     + r"|\d{1,2}(?:st|nd|rd|th)|last|final) " + _UNIT
                     + r"(?: (?:of|in) (?:this|the|your) (?:book|textbook))?"),
        ("beside", r"the (?P<step>next|following|previous|preceding|last) " + _UNIT),
        ("named", r"(?:the |this |your )?" + _UNIT + r" (?:on|about|of|for|called|titled|named|"
                  r"entitled|covering|regarding|concerning|dealing with|"
                  r"that (?:deals with|is about|covers|explains|"
                  r"describes|discusses)|which (?:deals with|is about|covers|explains)|"
                  r"with the title"
                  r"|where (?:it|you|the book) (?:explains?|covers?|talks? about))"
                  r" (?P<words>.{2,120})"),
        ("named", r"(?:the )?" + _UNIT + r" [\"'“‘«](?P<words>.{2,120}?)[\"'”’»]"),
        ("named", r"(?:the|your) [\"'“‘«]?(?P<words>[^?]{2,80}?)[\"'”’»]? "
                  r"(?P<unit>chapter|section|page|lesson|part|unit|module)"),
        ("named", r"(?:the |this book's )?(?P<words>preface|foreword|introduction|title page|"
                  r"front matter|afterword|epilogue|conclusion|glossary|acknowledge?ments|"
                  r"appendix(?: \w+)?)(?: (?:of|in|to) (?:this|the) (?:book|textbook))?"),
        # No word between: only a heading of just these words is meant.
        ("topic", r"(?:the )?(?P<unit>chapter|section|page|lesson|unit|module|subsection)"
                  r" (?P<words>.{3,120})"),
    )
)  # fmt: skip

_SIZE = (
    r"(?:(?:very |really )?(?:short|brief|quick|high-level|high level|general|concise|rough|simple|"
    r"complete|full|detailed|one-paragraph|one paragraph|two-sentence|overall|little|good|nice|"
    r"bullet[- ]point|structured|chapter-by-chapter)(?: and)? )*"
)
_NOUN = (
    r"(?:summary|overview|outline|synopsis|abstract|recap|gist|digest|run-?down|breakdown|"
    r"tl;?dr|sketch|survey|bird's[- ]eye view|description|introduction|main points?|key points?|"
    r"key takeaways?|takeaways?|highlights|main (?:ideas?|messages?|themes?|topics?|subjects?|"
    r"arguments?|lessons?)|"
    r"key (?:ideas?|concepts?|messages?|topics?)|central (?:ideas?|themes?|topics?)|essence|"
    r"important points?|most important (?:points?|ideas?|topics?|things)|contents?)"
)
_COVER = (
    r"(?:cover|covers|teach|teaches|discuss|discusses|contain|contains|include|includes|explain|"
    r"explains|describe|describes|treat|treats|address|addresses|present|presents|introduce|"
    r"introduces|say|says|offer|have to offer|deal with|deals with|talk about|talks about|"
    r"focus on|focuses on|go over|go into|speak about|tell(?: me| us)?|teach(?: me| us)|"
    r"consist of|have in it|look at|try to (?:explain|teach|say))"
)
_IN_SHORT = (
    r"(?:,? (?:in short|in brief|briefly|overall|in general|mainly|exactly|actually|in a nutshell|"
    r"in one sentence|in a few (?:words|sentences)|for me|to me|quickly|then|again|at all|"
    r"in simple (?:terms|words)))*"
)
_MAINLY = (
    r"(?: all| mainly| mostly| really| basically| actually| generally| primarily| going to be)*"
)
_TOPICS = (
    r"(?:topics?|subjects?|themes?|things|concepts?|areas?|material|ideas?|content|subject matter)"
)
_PARTS = (
    r"(?P<parts>chapters?|sections?|parts|headings|pages|lessons|topics|table of contents|"
    r"contents|toc|outline|modules|units)"
)
_T = r"(?P<place>.{2,160}?)"

FRAMES = tuple(
    LazyPattern(pattern)
    for pattern in (
        rf"what(?:'s|s| is| are| was|'re) {_T}{_MAINLY} about{_IN_SHORT}",
        rf"what (?:does|do|did|will|would|is|are) {_T}(?: going to| mainly| mostly|"
        rf" actually)* {_COVER}{_IN_SHORT}",
        rf"what(?: all)? (?:is|are|gets|'s)(?: being)? (?:covered|taught|discussed|explained|"
        rf"described|treated|included|presented|said|introduced|contained) (?:in|by|on|"
        rf"throughout) {_T}{_IN_SHORT}",
        rf"(?:summari[sz]e|sum up|outline|recap|condense|sketch|tl;?dr:?|describe|introduce|"
        rf"skim|walk (?:me|us) through|take (?:me|us) through|run (?:me|us) through|"
        rf"go (?:through|over)) (?:me |up |for me )?{_T}{_IN_SHORT}",
        rf"(?:tell (?:me|us)|explain)(?: to me| briefly| shortly|"
        rf" more)*(?: what)?(?: about)? {_T}(?: is| is all| are)?(?: about)?{_IN_SHORT}",
        rf"(?:(?:give|write|show|provide|get|make|create|offer|send)(?: me| us)?(?: with)?|"
        rf"i(?:'d| would) like|i(?: want| need)|what(?:'s| is| are| would be)|is there|"
        rf"may i have|can i (?:have|get)|let me have|tell me)? ?(?:an? |the |"
        rf"some )?{_SIZE}{_NOUN}(?: (?:and|or) {_SIZE}{_NOUN})? (?:of|for|to|on|about|in|from|"
        rf"covered in|discussed in|behind) {_T}{_IN_SHORT}",
        rf"(?:what|which)(?: are the| is the)?(?: main| key| major| different| important|"
        rf" other| exact)? {_TOPICS} (?:(?:are|is|get|gets)(?: there| covered| discussed|"
        rf" treated| taught| explained| included| addressed| presented)?(?: in| on| by| within|"
        rf" throughout)|(?:does|do|will|would)|(?:can|will|do|could|should|am|"
        rf"are)(?: going to)? (?:i|we|you)(?: going to)? (?:find|learn|expect|see|meet|"
        rf"study)(?: about)? (?:in|on|from)|of|in|covered (?:in|by)|"
        rf"discussed in) {_T}(?: {_COVER})?{_IN_SHORT}",
        rf"what(?:'s| is| can i find| will i find| can be found| do i find| does it say) (?:in|"
        rf"inside|on|within) {_T}{_IN_SHORT}",
        rf"what (?:will|can|do|would|could|should|am i going to|are we going to)(?: i| we| you|"
        rf" readers?| a reader| students?)?(?: expect to)? (?:learn|get|study|find out|find|"
        rf"read about|take away|cover|discuss|see|meet)(?: about)? (?:in|from|by reading|on|"
        rf"out of) {_T}{_IN_SHORT}",
        rf"how (?:is|are) {_T} (?:organi[sz]ed|structured|laid out|arranged|divided|built up|"
        rf"set up)",
        rf"what(?:'s| is) the (?:structure|organi[sz]ation|layout|plan|scope|purpose|subject|"
        rf"topic|theme|aim|goal|point|main idea|focus) of {_T}",
        rf"what {_T}(?: is| are)?{_MAINLY} (?:about|covers|teaches|says|contains|discusses|"
        rf"explains){_IN_SHORT}",
        rf"what (?:should|must|do) (?:i|we|you|readers?)(?: need to| have to)? (?:know|"
        rf"remember|take away|keep in mind|expect)(?: about)? (?:from|in|of|about|"
        rf"after) {_T}{_IN_SHORT}",
        rf"what(?:'s| is) {_T}",
        rf"{_T}(?:,|:)? (?:in (?:short|brief|a nutshell|a few sentences)|summary|overview|"
        rf"tl;?dr|outline|recap|please summari[sz]e)",
        rf"(?:summary|overview|outline|recap|tl;?dr)[,:]? {_T}",
        rf"(?:what|how) about {_T}",
        rf"{_T}",
    )
)  # fmt: skip
MAY_BE_TOPIC = frozenset((3, 5))
"""Frames that may be followed by a topic instead of a place ("Summarise …")."""
MAY_BE_TITLE = frozenset((0, 1))
"""Frames that may be followed by a heading verbatim ("What does … cover?")."""
TITLE_ENDS = LazyPattern(r"\b(?:about|cover)$")
_OF_BOOK = (
    r"(?: (?:of|in|from|does|for|on|are in|are there in|make up|"
    r"has) (?P<place>.{2,160}?)(?: (?:have|contain|include|consist of|has|cover))?)?"
)
LISTS = tuple(
    LazyPattern(pattern)
    for pattern in (
        rf"(?:(?:list|show|name|enumerate|give|tell|display|print|see)(?: me| us)?|what(?:'s|"
        rf" is| are| were|'re)|which(?: are)?|can i (?:see|have|"
        rf"get))? ?(?:all )?(?:of )?(?:the |a list of |an? )?(?:all |different |main |"
        rf"list of )*(?:the )?{_PARTS}(?: and (?:sub)?(?:sections|headings|topics|"
        rf"pages))?(?: are (?:there|covered|included))?{_OF_BOOK}",
        rf"(?:what|which|how many)(?: all)?(?: the)? {_PARTS} (?:are there|does it have|"
        rf"do you have|exist|are available|are covered){_OF_BOOK}",
        rf"(?:what|which|how many) {_PARTS}{_OF_BOOK}",
    )
)  # fmt: skip
BARE = LazyPattern(
    r"(?:(?:a |the )?(?:summary|overview|outline|recap|synopsis|gist|tl;?dr|key points|main points|"
    r"key takeaways)|summari[sz]e|sum up|what(?:'s| is) this(?: all)?(?: about)?"
    r"|what am i (?:reading|looking at)|what(?:'s| is) (?:this|here|it all about)"
    r"|(?:give|show|write|(?:could|can|may) i (?:have|get|see)|i want|i need)(?: me|"
    r" us)? (?:an? |the )?" + _SIZE + r"(?:summary|overview|outline|recap|gist)"
    r"|what do i (?:learn|find) here|what(?:'s| is) covered here|what can i (?:learn|find) here)"
    + _IN_SHORT
)  # fmt: skip
POLITE = LazyPattern(
    r"^(?:(?:hi|hello|hey|good (?:morning|evening|afternoon))(?: there| everyone| all)?[,!.]* |"
    r"(?:please|pls|kindly|so|and|ok|okay|well|now|just|quickly|briefly|first|also)[,:]? |"
    r"(?:can|could|would|will) you(?: please| kindly| just| briefly| quickly)* |"
    r"(?:i(?:'d| would) like|i want|i need)(?: you)? to (?:know |see |have |get |understand |"
    r"hear )?|"
    r"(?:do you know|can you tell me|tell me|i wonder|may i ask|could you tell me),? (?=what|"
    r"which|how)|"
    r"in (?:a nutshell|short|brief|general|one sentence|a few (?:words|sentences)|summary),? |"
    r"help me (?:to )?(?:understand )?(?=what|summ|outl))+"
)
POSSESSIVE = LazyPattern(
    r"(?P<place>(?:this|the|that) (?:book|textbook|chapter|page|section|"
    r"lesson))'s (?P<what>.{3,60})"
)
WRAPPED = tuple(
    LazyPattern(pattern)
    for pattern in (
        r"what (.+?) (?:covers|is (?:all )?about|says|teaches|contains|discusses|explains)",
        r"(?:of )?(?:the )?(?:main |key |whole )?(?:contents?|topics|ideas|points|subject|"
        r"scope|structure)"
        r" (?:of|in) (.+)",
        r"what(?:'s| is|'re| are)? ?(?:said|covered|written|discussed|taught|explained|there)? "
        r"(?:in|on) (.+)",
        r"of (.+)",
        r"[\"'“‘«](.+)[\"'”’»]",
    )
)
_BOOK = r"(?:this|the|your) (?:book|textbook|manual|guide|course|documentation|docs)"
PRESENCE = LazyPattern(
    rf"(?:is there|are there|do you have|(?:does|do) {_BOOK} (?:have|contain|include))"
    r" (?:something|anything|an?|any|some)(?: (?P<unit>chapter|section|page|part|lesson|"
    r"information|info|content|material|text|discussion))?s? (?:on|about|regarding|covering|of) "
    rf"(?P<words>.{{2,80}}?)(?: in {_BOOK})?"
    rf"|(?:does|do) {_BOOK} (?:also )?(?:cover|mention|discuss|treat|talk about|deal with|"
    r"(?:say|tell (?:me|us)) (?:something|anything) (?:on|about)) (?P<topic>.{2,80})"
    rf"|(?:where|in (?:which|what) (?P<place>chapter|section|page))(?: in {_BOOK})? (?:can i "
    r"(?:read|find|learn)(?: (?:something|anything|more))? (?:about|on)|"
    rf"does {_BOOK} (?:cover|discuss|explain|treat|talk about)) (?P<about>.{{2,80}})"
)
"""Whether the book has something on a topic, and where."""
CLOSING = LazyPattern(r"(?:,? (?:please|pls|thanks|thank you|for me|thx|now))+$")
STEPS = {"next": 1, "following": 1, "previous": -1, "preceding": -1}
BREAKS_OFF = LazyPattern(r"(?:^|\b(?:this|that|the|of|in|a|an|each|every|which|what))$")
STARTS_A_QUESTION = LazyPattern(
    r"(?:what|which|who|whom|whose|when|where|why|how|is|are|do|does|did|can|could|would|"
    r"should|if|whether)\b"
)
