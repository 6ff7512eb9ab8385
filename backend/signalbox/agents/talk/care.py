"""Hears words of self-harm and of not wanting to live, plain or indirect. Pure.

Better one answer of care too many than one too few; but what people say of work, pay and places is no cry for help.
"""

import re
from typing import Final

# Read without apostrophes and with the long forms drawn together, so that a rule has one spelling to know.
_DRAWN: Final = tuple(
    (re.compile(rf"\b{long}\b"), short)
    for long, short in (
        ("(?:can|could) ?not", "cant"),
        ("couldnt", "cant"),
        ("(?:do|did|does) not", "dont"),
        ("(?:doesnt|didnt)", "dont"),
        ("(?:would|will) not", "wont"),
        ("wouldnt", "wont"),
        ("(?:was|were) not", "wasnt"),
        ("werent", "wasnt"),
        ("is not", "isnt"),
        ("i am", "im"),
        ("i (?:would|had)", "id"),
        ("i have", "ive"),
        ("wanna", "want to"),
        ("gonna", "going to"),
        ("any more", "anymore"),
    )
)
_SELF: Final = r"my ?self"
_END: Final = (
    r"(?=\W*$|\s*[,.;!?:)]|\s+(?:and|but|so(?! (?:far|close|near|long))|because|since|if|when|or|after|now|without "
    r"(?:him|her|them|you|my))\b)"
)
# What follows where it is a way or a place to live that is not wanted.
_NOT_SO: Final = (
    r"(?! (?:in(?! this world)|at(?! all)|on(?! this (?:planet|earth))|near|close|here|there|by|abroad|off|alone|"
    r"under|out|from|for|so|a|an|the|as|together|apart|away|where\w*|within|next|and work|outside|any(?:where|place)|"
    r"far|only|paycheck|like (?:a|an)|with(?! (?:this|myself|it|the pain))|to work|right (?:in|by|next)|above|below|"
    r"separately|up to)\b)"
)
_TAIL: Final = (
    r"(?: anymore| any longer| at all| again| forever| for good| now| tonight| today| every (?:day|night)| all the "
    r"time| sometimes| lately| these days| constantly| often| soon| lol| please| honestly| anyway| so much| so "
    r"bad(?:ly)?| too)*"
)
_NO: Final = (
    r"(?:no|any|little|zero|not (?:see )?(?:the|any|a)|(?:dont|cant|no longer) see (?:the|any|a)|nor (?:the|any))"
)
# What is done somewhere, on something or for a living is not life itself.
_LIFE: Final = (
    r"(?:being alive|existing|existence|(?:living|life)(?! (?:in|on|with(?! (?:this|myself|it|the pain))|at|off|out|"
    r"under|from|paycheck|hand|near|here|there|away|abroad|alone|apart|next|by|so|far|close|as|costs?|science\w*|"
    r"insurance|coach\w*|wage|story|skills?|experience|outside|balance|for (?:work|the weekend)|to work|drawing|"
    r"admin\w*|model)\b))"
)
_GONE: Final = (
    r"(?:i|id|im|i was|i were|ive) (?:just |ever |suddenly )*(?:die|died|dead|were dead|was dead|(?:were |was "
    r")?gone(?! (?:for|from|early|by|to|on|home)\b)|disappear\w*|vanish\w*|wasnt (?:here|around|alive)|dont (?:exist|"
    r"wake up)|dropped dead|never (?:existed|woke up)|killed myself)"
)
_WISH: Final = (
    r"(?:want(?:ed)?|wish(?:ed)?|ready|going|prefer|like|love|hope|rather|try(?:ing)?|tempted|need|longing|"
    r"plan(?:ning)?|about|(?:think|thinking|thought|dream|dreaming) (?:about|of)|should|could|might|may|let me|let us|"
    r"deserve|must|feel like|just|ill|how|ways?|better|best|easiest|(?:give up|lie down|curl up|go home|crawl away|"
    r"rot) and)"
)
_BY_ONESELF: Final = (
    rf"(?<!to not )(?<!not going to )(?<!wont )(?<!dont want to )kill {_SELF}",
    rf"(?:dont want to|not going to|wont) kill {_SELF}{_TAIL}{_END}",
    (
        rf"killing {_SELF}(?! (?:working|laughing|trying|for|to (?:get|finish|meet|please|make)|at work|over (?:a|the|"
        rf"this)))"
    ),
    rf"(?:thinking|thought|think|considering|dreaming) (?:about|of) killing {_SELF}",
    rf"(?:want|wanted|going|might|may|could|should|ill|will|id) (?:just |to )*(?:kms|off {_SELF})\b",
    rf"(?:unaliv\w+|hang(?:ing)?|drown(?:ing)?|starv(?:e|ing)|poison(?:ing)?|stab(?:bing)?|suffocat\w+) {_SELF}",
    rf"shoot(?:ing)? {_SELF}(?! in the foot)",
    rf"harm(?:ed|ing)? {_SELF}",
    (
        rf"(?:hurt|cut|burn)(?:ing|ting)? {_SELF}(?! (?:off|out|some|a (?:deal|break)|short|at|on the|on my|lifting|"
        rf"while|whilst|during|falling|by accident|accidentally|badly|down|free|loose|shaving|cooking)\b)"
    ),
    r"(?:slit|slash|cut)(?:ting)? my wrists?",
    r"(?:end|take|ending|taking|ended) my (?:own )?(?:life|existence)",
    r"end(?:ing)? it all(?! (?:in|at|as|with (?:a|the))\b)",
    rf"(?:think|thinking|thought|thoughts) (?:about|of) ending (?:it|things|everything){_TAIL}{_END}",
    r"put(?:ting)? an end to (?:it all|everything|myself|my (?:own )?(?:life|existence|misery|suffering|pain))",
    r"(?:ways?|how|want|is it) (?:\w+ ){0,2}to (?:kill|hang|drown|hurt|harm) (?:yourself|oneself|your self)",
    r"do(?:ing)? something (?:bad |stupid |terrible |drastic )?to my ?self",
    rf"(?:please|someone|somebody|just|can you) (?:just |please )*kill me{_TAIL}{_END}",
    rf"(?:ive|i) (?:just |been |started |keep |kept )+cutting(?: again)?{_END}",
    (
        r"(?:star(?:e|ing)|look(?:ing)?|hold(?:ing)?|count(?:ing)?|hoard(?:ing)?|sav(?:e|ing)) (?:at |up )?(?:my |the "
        r"|a |all |these )*(?:(?:bottle|box|pack|handful)s? of )?(?:sleeping )?(?:pills|noose|razors?(?: blades?)?)\b"
    ),
    (
        r"(?:hope|wish|want|pray)(?:ed|ing)? (?:that )?(?:i |to |a |the |some |get |would )*(?:(?:car|bus|train|truck|"
        r"lorry) (?:would |will |just )*(?:hit|run over|kill)s? me|(?:get )?(?:hit|run over|killed) by)"
    ),
    r"feel like ending (?:it|things|everything)",
    r"end(?:ing)? (?:it|things|everything) (?:now|tonight|today|for good|forever|once and for all|myself)",
    rf"(?:want|wanted|going|ready|like) to (?:just )?end (?:it|everything){_END}(?!\W+(?:early|properly)\b)",
    r"(?:want|wish) (?:it|this|everything) (?:all )?(?:to|would) (?:just )?(?:all )(?:be over|end|stop)",
    r"(?:want|wish) (?:it all|everything) (?:to|would) (?:just )?(?:be over|end|stop)",
    (
        r"(?:take|taking|took|swallow\w*) (?:all|too many|a lot|lots|a bottle) (?:of )?(?:my |the |these )*(?:pills|"
        r"tablets|meds|medication|sleeping pills)"
    ),
    (
        r"(?:want|going|plan\w*|think\w* (?:of|about)|might|could|should|just|tried) (?:to )?(?:take |taking |an "
        r")*overdos(?:e|ing)(?! (?:prevent|aware|respon|train|risk)\w*)"
    ),
    (
        rf"(?:throw|throwing|fling|hurl) {_SELF} (?:off|under|in front|from|out of (?:the|a|my) window|in(?:to)? "
        rf"(?:the )?(?:river|sea|water|traffic|lake|canal|path))\b"
    ),
    (
        r"(?:jump|jumping|leap|leaping) (?:off|from) (?:of )?(?:\w+ ){0,3}?(?:bridge|roof\w*|building|cliff|balcony|"
        r"ledge|tower|skyscraper)\b(?! (?:company|firm|builder|job|design\w*|site|project))"
    ),
    (
        r"(?:step|stepping|walk|walking|driv(?:e|ing)(?: my car| the car)?) (?:off|over) (?:a|the|that|some) "
        r"(?:bridge|cliff|roof|ledge)\b(?! site)"
    ),
    (
        r"(?:jump|jumping|step|stepping|walk|walking|leap|leaping|lie|lying|driv(?:e|ing)(?: my car| the car)?) (?:in "
        r"front of|under|in ?to) (?:a |an |the |that |my |this |some )?(?:moving |oncoming |next )*(?:train|bus|lorry|"
        r"truck|tram|traffic|tree|one|river|sea)\b"
    ),
    (r"(?:jump|jumping|leap|leaping) out of (?:a|an|the|my|this) (?:\w+ )?window\b"),
)
_DEATH: Final = (
    (
        rf"{_WISH} (?:to )?(?:just |simply |really |painlessly |quietly )*die\b(?! ?(?:for\b|(?:cast|cut|mak|set|sink|"
        rf"stamp|design)\w*|on (?:this|that|the) (?:hill|job)|of (?:embarrass|sham|laugh|bored|cring|curios|thirst|"
        rf"hung)\w*|laughing|hard\b|happy\b|trying|from (?:embarrass|laugh|bored|sham)\w*|than (?!live|living|go on|"
        rf"carry on|keep (?:going|living|on)|be (?:alive|here)|wake|face|exist|continue|stay alive)))"
    ),
    (
        r"(?:rather be|be (?:better|happier)(?: off)?|wish i (?:was|were)|might as well be|want to be|should be|"
        r"prefer (?:to be|being)|wish to be) dead\b(?! (?:sure|certain|set|honest|serious|right|wrong|on|tired|broke|"
        r"clear)\b)"
    ),
    (
        rf"if {_GONE}(?: today| tomorrow| now| tonight)?,? (?:no ?one|nobody|not a soul|who|everyone|everybody|they) "
        rf"(?:would|d|will)\b"
    ),
    rf"(?:easier|better|best|simpler|what) (?:for \w+(?: \w+)? )?if {_GONE}",
    rf"(?:doing|do) (?:every\w+|the world|them|you|my \w+|people)(?: all)? a favou?r if {_GONE}",
    (
        r"(?:my own|imagin\w+ my|plan\w+ my|picture my|come to my|at my) funeral\b(?! (?:home|business|director|"
        r"service|parlou?r))"
    ),
    r"dead inside\b",
    r"(?:should|could|maybe|might|rather|want to|would|better) (?:i )?(?:just )?not (?:be alive|exist)\b",
    (
        r"should(?:nt| not) (?:be alive|exist|have been born|be here anymore)|should (?:have )?never (?:have )?been "
        r"born"
    ),
    r"(?:mistake|regret|curse|cursed|hate|sorry) (?:that |the day )*(?:i was (?:ever )?born|being born)",
    (
        r"(?:want|wish|ready|like|rather) (?:i )?(?:to |could |was )*(?:be )?(?:in heaven|with my (?:late|dead) \w+|"
        r"rest(?:ing)? in peace)"
    ),
    r"(?:only|nothing but|nothing except) death\b(?! (?:metal|in service|certificates?|duty|benefits?)\b)",
    rf"(?:want|wish) my life (?:to be |would be |was |to )(?:over|end|ended)\b|feel like dying{_END}",
    r"goodbye,? (?:everyone|everybody|all|my friends)[ ,]+(?:forever|for ever|for good)",
    (
        r"(?:think|thinking|thoughts?|idea|dream|dreaming|dreams) (?:about |of )(?:my (?:own )?death\b|death\b|"
        r"dying(?! (?:patients?|people|person|industr\w+|trade|profession|art|breed))|being dead|not (?:being here|"
        r"waking up))"
    ),
    r"(?:painless|quick|easy|easiest|best|peaceful|ways?) (?:(?:way|method|death)s? )?(?:to die\b|of dying)",
    r"death (?:is|would be|seems|feels like|sounds like|sounds|looks) (?:a |the |my |an |better\b|good\b|sweet\b)",
    rf"(?:my )?only (?:way|option|answer|solution|escape)(?: out)?(?: left)? is (?:death|dying|to die){_END}",
    (
        r"(?:wish|wished|better if) (?:that )?i ?(?:d never been|was never|were never|wasnt|hadnt been|could stop "
        r"being) (?:born|alive|here)"
    ),
    (
        r"(?:wish|wished|better if|hope) (?:that )?i (?:could |would |just |dont |wont |never |not |had |wake |woke |"
        r"woken )*(?:exist|die|died|not wake up|dont wake up)\b"
    ),
    (
        r"(?:hope|wish|pray|want|rather|like) (?:that )?(?:i |to )?(?:dont|wont|never|not|not to) (?:ever )?(?:wake|"
        r"woke|woken) up"
    ),
    r"(?:fall asleep|go to (?:sleep|bed)|sleep) (?:and|to) (?:never|not|dont) (?:ever )?(?:wake|woke) up",
    r"(?:go to sleep|fall asleep|sleep) forever",
    (
        r"(?:goodbye,? cruel world|(?:my )?(?:last|final) goodbyes?|(?:last|final) day on (?:this )?earth|(?:suicide|"
        r"goodbye) note|(?:written|writing|wrote) (?:a |my )?(?:goodbye|farewell) letters? to (?:my (?:family|kids|"
        r"children|parents|wife|husband)|everyone))"
    ),
)
_LIVING: Final = (
    (
        rf"(?:dont|not|no longer|never) (?:think |believe |sure |know |if |that |whether )*(?:i |im |ive )?(?:really |"
        rf"even |still |ever |just )*(?:want|wish|care|deserve|able|can|like)(?: to)? (?:just |really |still "
        rf")?(?:keep(?: on)? |go on |carry on |continue |to )*(?:live|living|be living|be alive|being alive|stay "
        rf"alive|exist|existing){_NOT_SO}"
    ),
    rf"cant (?:just |really )?(?:keep(?: on)?|go on|carry on|continue) (?:living|being alive|existing){_NOT_SO}",
    (
        r"(?:ready|want|like|going|wish|decided) (?:to )?(?:just )?(?:leave|depart|quit|exit)(?: from)? (?:(?:this|"
        r"the) world|this (?:earth|life))\b(?! (?:of|cup|bank|tour|food|at|in|as)\b)"
    ),
    (
        r"(?:end|stop|ending) (?:my|the|this|all my|all this) (?:suffering|pain|misery|torment)(?! (?:in|of|"
        r"points?)\b)"
    ),
    (
        r"(?:want|wish|need) (?:the|this|my) (?:pain|suffering|misery) (?:to |would )?(?:just )?(?:stop|end|be over|"
        r"go away)"
    ),
    (
        rf"(?:dont|no longer|not|never|dont really) (?:really |even )?(?:want|feel like|wish|care|deserve)(?: to| "
        rf"about)?(?: go on| keep| carry on| continue| deserve to)? (?:live(?: on this (?:planet|earth)| in this "
        rf"world)?|living|exist|existing|be alive|being alive|wake up(?: tomorrow)?)\b{_TAIL}{_END}"
    ),
    (
        rf"(?:dont|no longer) (?:really |even )?want to (?:go on|carry on|keep going|continue)(?: living| with (?:my "
        rf")?life)?{_TAIL}{_END}"
    ),
    (
        rf"(?:dont|no longer|never) (?:really )?want to (?:see|face|meet|live to see) (?:tomorrow|another day|the "
        rf"(?:morning|new year)){_TAIL}{_END}"
    ),
    rf"(?:dont|no longer) want (?:this|my) life{_TAIL}{_END}",
    (
        rf"(?:cant|dont) (?:bear|stand|endure|take|handle|face|cope with|deal with) (?:this |my |the )?(?:life|living|"
        rf"being alive){_TAIL}{_END}"
    ),
    r"(?:what|anything|whats)(?: \w+){0,3} to live for\b",
    r"hurts (?:too much )?to (?:live|be alive|exist)\b",
    rf"(?:tired|sick) of waking up{_TAIL}{_END}",
    r"(?:not|wasnt|isnt|dont|im not) (?:meant|made|built|belong) (?:for|in|to) (?:this world|life)\b",
    r"my life (?:isnt|is not|is|has no) (?:worth (?:anything|nothing|less)|worthless)\b",
    r"life (?:has |just )*lost (?:its|all|any) (?:meaning|point|sense|purpose)",
    rf"(?:want|need|looking for a way) out of (?:this|my) life{_END}",
    r"(?:cant|dont want to) do (?:this )?life\b",
    (
        r"(?:dont|no longer) (?:see|know|understand) why i (?:should|am|would|have to|even) (?:\w+ ){0,2}?(?:live|"
        r"living|alive|go on|here anymore)\b"
    ),
    (
        rf"(?:life|living|being alive|existing) (?:is|has become|feels|just) (?:just |so |far |simply )*(?:too "
        rf"(?:painful|hard|much)|hurts|painful|agony|torture){_END}"
    ),
    (
        r"(?:dont|no longer|rather not|id rather not|not) (?:want to |to )?be (?:here|around)(?: anymore| any longer| "
        r"at all|\W*$)"
    ),
    (
        rf"(?:{_NO}|whats (?:even |really )?the|what is (?:even |really )?the|is there (?:even |really |still )?(?:a|"
        r"any)) (?:\w+ )?(?:point|reason|use|sense|will|wish|desire|motivation|strength) (?:left )?(?:\w+ "
        r"){0,4}?(?:to|in|of|for|or) (?:even )?(?:to )?(?:go(?:ing)? on |keep(?:ing)? (?:on )?|carry(?:ing)? on |"
        r"continue |"
        rf"stay(?:ing)? )?(?:live|exist|be alive|be here anymore|stay alive|alive|being here{_TAIL}{_END}|"
        rf"{_LIFE})(?!\s+(?:in|at|on|near|here|there|abroad|off|with|by)\b)"
    ),
    (
        rf"(?:{_NO}|whats the|what is the|is there (?:even |really |still )?(?:a|any)) (?:point|reason|use|sense|"
        rf"purpose) (?:left )?(?:(?:to|in|of) )?(?:go(?:ing)? on|carry(?:ing)? on|keep(?:ing)? going|continu(?:e|"
        rf"ing)){_TAIL}{_END}"
    ),
    (
        rf"why (?:should|do|would|am|even) (?:i )?(?:even |still |bother |keep |go on |carry on )*(?:live|living|"
        rf"alive|exist\w*|go on){_TAIL}{_END}"
    ),
    (
        r"(?:lost|losing|lose|lack|no|without|dont have|havent) (?:all |any |my |the |every |a )*(?:will|wish|desire|"
        r"hope|reason|strength|energy|courage)s?(?: left)? (?:to|for|of) (?:live|living|life|go on living|stay alive|"
        r"(?:go|carry) on(?=\W*$|[.,!;?]))(?! (?:in|at|near|here|there|abroad)\b)"
    ),
    (
        r"(?:nothing|no ?one|nobody|not(?:hing)? (?:much|anything))(?: \w+)? (?:left )?(?:to live for|worth living "
        r"for)"
    ),
    (
        r"(?:isnt|not|no longer|hardly|never) (?:even |really )?worth living(?! (?:in|on|at|near|there|here|with|off|"
        r"so)\b)"
    ),
    rf"is (?:life|it|my life) (?:even |really |still )*worth living{_END}",
    r"life (?:isnt|is not|is no longer|seems? not|not) worth it",
    (
        r"(?:life|my life|existence) (?:is|feels|seems|has become|has) (?:just |so |completely |totally |all |now "
        r")*(?:pointless|meaningless|worthless|no (?:meaning|point|purpose|sense)|not worth|unbearable)|my life is "
        r"(?:really |just )?over\b"
    ),
    (
        rf"(?:tired|sick|weary|done|fed up|finished|exhausted|through|had enough)(?: and tired)? (?:of|with|from) "
        rf"(?:this |my |just |all )*{_LIFE}"
    ),
    (
        rf"(?:hate|cant stand|cant bear|cant take|cant face|loathe|despise) (?:(?:being alive|existing|to live|to be "
        rf"alive){_NOT_SO}|living{_TAIL}{_END})"
    ),
    (
        rf"cant (?:bear |stand |face )?(?:to )?(?:live|exist)(?: like this|(?: anymore| any longer| another "
        rf"day){_TAIL}{_NOT_SO})"
    ),
    (
        rf"cant (?:just |really |possibly )?(?:go on|carry on|keep going)(?: like this| living| with (?:life|living|"
        rf"it all))?{_TAIL}{_END}"
    ),
    rf"(?:give|given|giving|gave) up on (?:my )?{_LIFE}",
    rf"stop (?:existing|living|being alive){_TAIL}{_END}",
)
_GOING: Final = (
    (
        rf"(?:every(?:one|body)|they|the world|(?:my|the) (?:\w+ )?(?:family|kids?|children|wife|husband|partner|"
        rf"parents?|mum|mom|mother|dad|father|friends?|son|daughter|people|boyfriend|girlfriend)|people|all of you|"
        rf"you)(?:d| would| will|ll| is| are|re)? (?:all |probably |definitely |surely |just )*(?:be |have it "
        rf")?(?:much |so |a lot )?(?:happier|better|better off|relieved|glad)(?: place)? (?:without me|if {_GONE})"
    ),
    r"better off (?:without me|dead)\b",
    (
        rf"(?:no ?one|nobody|not a soul|who) (?:would|will|d|even|really)?(?: even| really| ever)* ?(?:miss|care|"
        rf"notice|mind|cry|mourn)(?:s|d)?(?: me)?(?: at all)? if {_GONE}"
    ),
    r"(?:no ?one|nobody) (?:would|will|d) (?:even |ever |really )*miss me",
    (
        rf"(?:im|i feel like|being|i am|ive become|just|am) (?:only |just |nothing but |such )*a burden(?: (?:to|on|"
        rf"for) (?:every\w+|my (?:family|kids|children|wife|husband|parents|partner|mum|mom|mother|friends)|them|"
        rf"others|people|society|you|the world)|{_END})"
    ),
    (
        rf"(?:want|wish|like|love|going|could|rather)(?: i)?(?: (?:could|to|just|simply))* (?:disappear|vanish|fade "
        rf"away|cease to exist|not exist)(?: (?:forever|for good|completely|for ever|from (?:this|the) (?:world|earth|"
        rf"planet)|off the face|and never|without a trace)|{_TAIL}{_END})"
    ),
    r"(?:wont|not going to|dont plan to) be alive\b",
    rf"(?:world|family|kids|children) (?:dont|wont) need me{_TAIL}{_END}|(?:no ?one|nobody) needs me{_TAIL}{_END}",
    r"(?:see|is|theres|there is|have|find) no (?:other )?way out(?: anymore| left)?(?=\W*$|\s*[,;!?.])",
)
# Said of work, these words are about work.
_OF_WORK: Final = re.compile(
    r"\b(?:company|team|firm|employer|department|project|office|boss|business|client)(?: is| are| was| will be| would "
    r"be|d be|s)? (?:probably |much )?(?:better|happier)(?: off)? without me\b"
)
_CRIES: Final = re.compile(rf"\b(?:{'|'.join((*_BY_ONESELF, *_DEATH, *_LIVING, *_GOING))})")

# These words are also those of nurses, volunteers and campaigns: then it is what stands around them that tells.
_NAMED: Final = re.compile(r"\b(?:su[iy]?[cs]i?d(?:e|al|ial)\w*|self harm\w*)")
_OF_OTHERS_BEHIND: Final = re.compile(
    r"(?: and self harm\w*| or self harm\w*| and suicid\w*| or suicid\w*)? (?:prevent\w*|hot ?lines?|help ?lines?|"
    r"risks?|watch|awareness|squad|missions?|counsel\w*|crisis (?:line|work\w*|team)|bereave\w*|interven\w*|support|"
    r"charit\w*|nurs\w*|polic\w+|assess\w*|patients?|clients?|people|callers?|students?|teenagers?|youths?|adults?|"
    r"behaviou?rs?|training|statistics|research\w*|rates?|cases?|jobs?|work\w*|advis\w*|campaign\w*|response|liaison|"
    r"team|in (?:\w+ ){0,2}(?:communit\w+|prisons?|men|women|schools?|industry|farm\w*))\b"
)
_OF_OTHERS_BEFORE: Final = re.compile(
    r"\b(?:career|professional|political|social|commercial|financial|anti|prevent(?:ing|ion of)?|experience (?:with|"
    r"of|in)|work\w* (?:\w+ ){0,4}(?:with|on|in|at)|risks? of|patients?|clients?|people|callers?|users|adults?|"
    r"teenagers?|students?|young\w*|children who|assess\w*|knowledge of|train\w* in|awareness of|thesis|dissertation|"
    r"paper|book|article|research\w*|stud(?:y|ied)|documentary|course|lecture|nurse|counsel\w*|"
    r"volunteer\w*)\b[^.!?]{0,40}$"
)
_OF_ONE: Final = re.compile(
    r"(?:\b(?:im|i feel|feeling|i was|ive been|am i|me|makes? me|made me|having|have|getting|become|becoming|"
    r"consider\w*|contemplat\w*|attempt\w*|commit\w*(?! (?:career|professional|political))|tempted|(?:think|thinking|"
    r"thought|thoughts) (?:about|of)) )(?:\w+ ){0,2}$|\bmy $"
)
_LONGEST_BEFORE: Final = 80
# Who needs a line to call is no applicant for a job on one.
_NEEDS_HELP: Final = re.compile(
    r"\b(?:i need|call|number (?:of|for)|contact|reach|phone|where is|is there)\b[^.!?]{0,30}$"
)
_JOBS: Final = re.compile(r"\b(?:jobs?|work\w*|roles?|positions?|volunteer\w*|career\w*|cv|appl(?:y|ied|ication)\w*)\b")
# A book that somebody sends takes no longer than a long letter: it is read at both ends. A sentence that would run from
# one into the other is none.
_END_CHARS: Final = 16_000
_LEFT_OUT: Final = " … "
_SPACES: Final = re.compile(r"[\s_-]+")
_APOSTROPHES: Final = re.compile(r"['’‘`´ʼ]")


def in_crisis(message: str) -> bool:
    """Whether its writer speaks of self-harm or of not wanting to live. 1,000 characters take some 2 ms."""
    if len(message) > 2 * _END_CHARS:
        message = f"{message[:_END_CHARS]}{_LEFT_OUT}{message[-_END_CHARS:]}"
    text = _OF_WORK.sub(";", _spelled(message))
    return _CRIES.search(text) is not None or any(_means_oneself(text, named) for named in _NAMED.finditer(text))


def _spelled(message: str) -> str:
    text = _SPACES.sub(" ", _APOSTROPHES.sub("", message)).casefold()
    for long, short in _DRAWN:
        text = long.sub(short, text)
    return text


def _means_oneself(text: str, named: re.Match[str]) -> bool:
    before = text[max(0, named.start() - _LONGEST_BEFORE) : named.start()]
    if _OF_OTHERS_BEHIND.match(text, named.end()):
        return _NEEDS_HELP.search(before) is not None and _JOBS.search(text) is None
    return _OF_ONE.search(before) is not None or _OF_OTHERS_BEFORE.search(before) is None
