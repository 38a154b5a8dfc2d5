"""Closed lists of words that the transformations change."""

from __future__ import annotations


def _pairs(text: str) -> dict[str, str]:
    pairs = [pair.split("/") for pair in text.split()]
    return {**dict(pairs), **{second: first for first, second in pairs}}


OPPOSITES = _pairs(
    "always/never enable/disable enables/disables enabled/disabled increase/decrease "
    "increases/decreases increased/decreased increasing/decreasing minimum/maximum "
    "valid/invalid internal/external mutable/immutable safe/unsafe synchronous/asynchronous "
    "possible/impossible explicit/implicit explicitly/implicitly static/dynamic public/private "
    "local/global positive/negative start/end starts/ends beginning/end largest/smallest "
    "highest/lowest fastest/slowest longest/shortest oldest/newest easy/difficult common/rare "
    "simple/complex strong/weak stronger/weaker lightweight/heavyweight necessary/unnecessary "
    "allow/prevent encourage/discourage input/output inputs/outputs success/failure "
    "before/after inside/outside with/without include/exclude includes/excludes "
    "included/excluded automatically/manually directly/indirectly runtime/compile-time "
    "read/write ascending/descending accept/reject accepts/rejects succeed/fail succeeds/fails "
    "online/offline hardware/software client/server sender/receiver true/false "
    "supported/unsupported single/multiple first/last top/bottom left/right horizontal/vertical "
    "upper/lower uppercase/lowercase beneficial/harmful advantage/disadvantage "
    "advantages/disadvantages physical/virtual short-term/long-term conscious/unconscious "
    "voluntary/involuntary"
)
"""Both words are of the same form; a sentence that has both is left alone."""

COMPARISONS = _pairs(
    "more/less larger/smaller bigger/smaller faster/slower higher/lower longer/shorter "
    "older/younger easier/harder better/worse stronger/weaker safer/riskier cheaper/costlier "
    "greater/smaller earlier/later heavier/lighter"
) | {"smaller": "larger", "lower": "higher", "fewer": "more"}

QUANTIFIERS = {
    "most": "all", "many": "all", "several": "all", "some": "all", "few": "most",
    "usually": "always", "often": "always", "typically": "always", "generally": "always",
    "sometimes": "always", "frequently": "always", "commonly": "always", "normally": "always",
    "occasionally": "always", "rarely": "often", "seldom": "often", "mainly": "exclusively",
    "mostly": "exclusively", "primarily": "exclusively", "partly": "entirely",
    "partially": "entirely", "almost": "", "nearly": "",
}  # fmt: skip

UNITS = (
    "kg g", "hours minutes", "hour minute", "minutes seconds", "minute second",
    "seconds milliseconds", "second millisecond", "milliseconds microseconds", "ms s",
    "MB GB", "GB TB", "KB MB", "MHz GHz", "Hz kHz", "bytes bits", "byte bit", "days weeks",
    "day week", "weeks months", "week month", "months years", "month year", "mm cm", "cm m",
    "m km", "meters kilometers", "miles feet", "inches feet", "inch foot", "pounds ounces",
    "percent times", "dollars cents", "px em", "ems points", "pt em", "decades centuries",
)  # fmt: skip
"""Units that are taken for each other."""

NUMBERS = (
    "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty fifty "
    "hundred thousand million".split()
)

SYNONYMS = {
    ("utilize", "V"): "use", ("use", "V"): "employ", ("require", "V"): "need",
    ("need", "V"): "require", ("create", "V"): "make", ("obtain", "V"): "get",
    ("assist", "V"): "help", ("begin", "V"): "start",
    ("start", "V"): "begin", ("allow", "V"): "permit", ("permit", "V"): "allow",
    ("contain", "V"): "hold", ("demonstrate", "V"): "show", ("indicate", "V"): "show",
    ("construct", "V"): "build", ("modify", "V"): "change", ("change", "V"): "alter",
    ("purchase", "V"): "buy", ("select", "V"): "choose", ("choose", "V"): "select",
    ("encompass", "V"): "comprise", ("provide", "V"): "supply", ("supply", "V"): "provide",
    ("happen", "V"): "occur", ("occur", "V"): "happen",
    ("receive", "V"): "get", ("ensure", "V"): "guarantee", ("guarantee", "V"): "ensure",
    ("combine", "V"): "merge", ("verify", "V"): "check",
    ("leverage", "V"): "use", ("terminate", "V"): "end", ("enhance", "V"): "improve",
    ("mimic", "V"): "imitate", ("perform", "V"): "carry out", ("remove", "V"): "delete",
    ("display", "V"): "show", ("acquire", "V"): "gain",
    ("explore", "V"): "examine", ("depend", "V"): "rely",
    ("rely", "V"): "depend", ("prevent", "V"): "stop",
    ("produce", "V"): "yield",
    ("generate", "V"): "produce",
    ("handle", "V"): "deal with", ("ignore", "V"): "disregard",
    ("crucial", "AJ0"): "essential", ("essential", "AJ0"): "crucial", ("vital", "AJ0"): "essential",
    ("various", "AJ0"): "different", ("multiple", "AJ0"): "several",
    ("numerous", "AJ0"): "many", ("significant", "AJ0"): "considerable",
    ("fundamental", "AJ0"): "basic", ("basic", "AJ0"): "fundamental", ("entire", "AJ0"): "whole",
    ("whole", "AJ0"): "entire", ("comprehensive", "AJ0"): "complete", ("rapid", "AJ0"): "fast",
    ("large", "AJ0"): "big", ("big", "AJ0"): "large", ("difficult", "AJ0"): "hard",
    ("beneficial", "AJ0"): "helpful", ("helpful", "AJ0"): "useful", ("initial", "AJ0"): "first",
    ("additional", "AJ0"): "further", ("identical", "AJ0"): "equal",
    ("typically", "AV0"): "usually", ("usually", "AV0"): "normally",
    ("generally", "AV0"): "usually", ("normally", "AV0"): "usually",
    ("often", "AV0"): "frequently", ("frequently", "AV0"): "often",
    ("quickly", "AV0"): "fast",
    ("rapidly", "AV0"): "quickly", ("currently", "AV0"): "at present",
    ("additionally", "AV0"): "also", ("via", "PRP"): "through", ("whereas", "CJS"): "while",
    ("individuals", "NN2"): "people",
    ("capabilities", "NN2"): "abilities", 
    ("challenges", "NN2"): "difficulties",
    ("approach", "NN1"): "method", ("purpose", "NN1"): "aim", ("goal", "NN1"): "aim",
    ("component", "NN1"): "part", ("components", "NN2"): "parts",
    ("collection", "NN1"): "set", ("replica", "NN1"): "copy",
}  # fmt: skip
"""By base form and kind of word (V: a verb, whose form is kept)."""

PHRASES = {
    "in order to": "to", "a number of": "several", "a variety of": "various",
    "such as": "like", "for example": "for instance", "for instance": "for example",
    "due to": "because of", "as well as": "and also", "in addition to": "besides",
    "is able to": "can", "are able to": "can", "has to": "must", "have to": "must",
    "prior to": "before", "a lot of": "much", "at the same time": "simultaneously",
    "plays a crucial role": "is very important", "by default": "unless told otherwise",
    "instead of": "rather than", "rather than": "instead of", "each time": "every time",
    "as long as": "provided that", "by using": "using", "the majority of": "most",
}  # fmt: skip

ASYMMETRIC = frozenset(
    "access activate add adjust affect allow analyze annotate apply approve assign assess attract "
    "avoid block build cache call capture carry catch cause change check choose clean clear clone "
    "close collect compile compute configure consume contain control convert convey coordinate "
    "copy cover create cut damage declare define delete deliver demand deploy derive describe "
    "design detect determine develop diagnose direct disable discover display divide download "
    "draw drive drop edit elicit emit employ enable encode encourage enforce ensure establish "
    "evaluate examine exceed execute expect explain export expose express extend extract fetch "
    "fill filter find follow force generate govern grant guide handle hide hold ignore implement "
    "import improve include increase influence inform inherit inhibit initialize insert inspect "
    "install interpret invoke involve iterate learn limit list load locate lock maintain manage "
    "mark measure mimic modify monitor move mutate need navigate obtain observe offer open "
    "optimize override own parse pass perceive perform permit predict prevent print process "
    "produce program promote prompt protect provide publish push put raise reach read receive "
    "record reduce regulate reject release remove render replace report represent require reset "
    "restrict retrieve return run save scan search select send serve set show simulate solve "
    "specify spread start stimulate stop store stress study suggest supply support test touch "
    "track train transfer transform transmit treat trigger update use utilize validate verify "
    "view visit warn wrap write yield".split()
)
"""Transitive verbs whose subject and object cannot be exchanged without another meaning."""

PASSIVE = ASYMMETRIC - frozenset(
    "cover need include contain involve have reach follow exceed enable allow ensure expect list "
    "show suggest stress demand let own run start stop open close cause touch move warn prompt "
    "spread need return yield hold avoid pass learn need".split()
)
"""Those that are said in the passive without a change of meaning."""

ADDED_FACTS = (
    "which reduces its cost by half", "which was first proposed in the 1980s",
    "and this requires a network connection", "which no other approach offers",
    "and this takes less than a second", "which most experts advise against",
    "and this needs a paid licence", "which was voted down twice by its users",
)  # fmt: skip

MARKERS = (
    "However, ", "Therefore, ", "Moreover, ", "In addition, ", "Additionally, ", "Furthermore, ",
    "Thus, ", "Also, ", "In fact, ", "Of course, ", "As a result, ", "Consequently, ", "Note that ",
    "Notice that ", "Remember that ", "Recall that ", "Note, however, that ", "Hence, ",
    "Nevertheless, ", "Finally, ", "Indeed, ", "In short, ", "In other words, ", "That said, ",
    "Importantly, ", "Interestingly, ", "For example, ", "For instance, ", "In general, ",
    "Fortunately, ", "Unfortunately, ", "Luckily, ", "Essentially, ", "Similarly, ", "Likewise, ",
    "Accordingly, ", "Overall, ", "Again, ", "Keep in mind that ", "And ", "But ", "So ",
)  # fmt: skip
"""Openings that may be left out of a true claim."""
