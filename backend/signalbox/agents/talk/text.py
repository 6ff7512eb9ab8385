"""The general agent's facts and the words for them."""

from collections.abc import Sequence
from typing import Final, Literal

from signalbox.agents.talk.scope import ASK, CANNOT, Careful, Outside
from signalbox.agents.talk.small_talk import Topic
from signalbox.agents.turn import Facts
from signalbox.agents.words.knowledge_text import Passage, Quote, quoted, source_line
from signalbox.agents.words.phrases import counted
from signalbox.agents.words.profile_words import HOW_TO_FORGET, how_to_forget, profile_lines
from signalbox.blocks import ProfileFact
from signalbox.envelope import Intent

Store = Literal["read", "empty", "unavailable", "temporary", "off", "not_asked"]


class Ability(Facts):
    """What one agent does, as it says of itself."""

    name: str
    label: str
    when_to_use: str
    example: str


class GeneralFacts(Facts):
    """``store``: how reading (or clearing) the profile went. ``postings`` is None when it could not be counted.
    ``looked``: how the search in the guides went, of which ``passages`` fit and ``quotes`` are shown. ``careful``:
    advice of a kind that must come from others; ``sorry``: bad news was told along with the question. ``language``:
    what the message is in, if not English and known.
    """

    topic: Topic
    intent: Intent = "general"
    store: Store = "not_asked"
    profile: tuple[ProfileFact, ...] = ()
    forgotten: tuple[ProfileFact, ...] = ()
    resume_erased: bool = False
    name: str = ""
    first_message: bool = True
    postings: int | None = None
    samples: int = 0
    sources: tuple[str, ...] = ()
    newest: str = ""
    command: str = ""
    abilities: tuple[Ability, ...] = ()
    outside: Outside = "facts"
    language: str = ""
    careful: Careful | None = None
    sorry: bool = False
    looked: Literal["found", "nothing", "unavailable", "not_asked"] = "not_asked"
    passages: tuple[Passage, ...] = ()
    quotes: tuple[Quote, ...] = ()


def compose(facts: GeneralFacts) -> str:  # noqa: C901, PLR0911 - one return a topic
    """The reply as the template words it, in Markdown."""
    match facts.topic:
        case "command":
            return command_help(facts.command, facts.abilities)
        case "know_me":
            return _known(facts)
        case "my_rules":
            return _rules(facts)
        case "forget_all":
            return _forgotten(facts)
        case "no_specialist":
            what = facts.intent.replace("_", " ")
            return (
                f"This server has no specialist for “{what}”, so I cannot do that here. {_abilities(facts.abilities)}"
            )
        case "knowledge" | "scam" | "discouraged" | "what_wrong":
            return _knowledge(facts)
        case "out_of_scope":
            return f"{CANNOT[facts.outside]}: I am a careers assistant without access to the web. {_WHAT_I_DO}"
        case "catalogue" | "sources":
            return _catalogue(facts)
        case "greeting" | "goodbye":
            return _met(facts)
        case "capabilities":
            how = "Write in your own words, begin with a command such as `/job_search`, or pick one below."
            return (
                f"I am a careers assistant. {_abilities(facts.abilities)}\n\nI also answer questions about work and "
                f"applying from my guides, with the source named. {how}"
            )
        case "foreign":
            language = facts.language or "another language"
            return (
                f"I only understand English well, and your message seems to be in {language}. Please write it in "
                "English; a few plain words do, such as “find nurse jobs in Leeds”."
            )
        case _:
            return _SAID[facts.topic]


def _met(facts: GeneralFacts) -> str:
    if facts.topic == "goodbye":
        kept = " Your profile is kept, so we can go on from here next time." if facts.profile else ""
        return f"Goodbye, and good luck!{kept}"
    name = f", {facts.name}" if facts.name else ""
    if not facts.first_message:
        return f"Hello again{name}. What shall we do next?"
    return (
        f"Hello{name}! I am Signalbox, a careers assistant. I help with the search, the application, the "
        "interview and the offer. What would you like to do?"
    )


def command_help(command: str, abilities: Sequence[Ability]) -> str:
    """Which commands exist; ``command`` is the one that was tried."""
    lead = f"I do not know the command `{command}`. " if command else ""
    lines = [f"- `/{ability.name}` – {ability.label}, as in “{ability.example}”" for ability in abilities]
    return "\n".join(
        [f"{lead}These are the commands:", *lines, "", "You need none of them: plain words work just as well."]
    )


def _abilities(abilities: Sequence[Ability]) -> str:
    lines = [
        f"- **{ability.label}** (`/{ability.name}`): “{ability.example}”"
        for ability in abilities
        if ability.name != "general"
    ]
    return "\n".join(["What you can ask me for:", *lines])


def _knowledge(facts: GeneralFacts) -> str:
    lead = _LEADS.get(facts.topic, "I am sorry to hear that." if facts.sorry else "")
    parts = [lead] if lead else []
    if facts.careful and not facts.passages:
        # Whom to ask is the answer; that the guides are silent comes after it.
        parts.append(ASK[facts.careful])
    if facts.looked == "unavailable":
        parts.append("I could not look into my guides just now. Please ask again in a moment.")
    elif not facts.passages:
        more = "" if facts.careful or lead else _WHAT_I_DO
        parts.append(f"I looked, and found nothing in my guides on that. {more}".strip())
    else:
        parts += [quoted(quote) for quote in facts.quotes]
        if facts.careful:
            parts.append(ASK[facts.careful])
    parts.append("\n".join(f"*{source_line(n, p)}*" for n, p in enumerate(facts.passages, start=1)))
    return "\n\n".join(part for part in parts if part)


def _known(facts: GeneralFacts) -> str:
    match facts.store:
        case "temporary":
            return (
                "This is a temporary chat: I neither read your profile nor store anything here. Ask again in a normal "
                "chat."
            )
        case "off":
            return (
                "You have switched remembering off, so I do not look into what is stored about you, and store nothing "
                "new. Your privacy settings show what there is; you can correct, download and erase it there."
            )
        case "unavailable":
            return (
                "I could not read your profile just now, so I cannot tell you what is in it. Please ask again in a "
                "moment."
            )
        case "read":
            lines = "\n".join(profile_lines(facts.profile))
            return (
                f"I have stored this about you, {counted(_told_apart(facts.profile), 'fact')}:\n{lines}\n\n"
                "Each comes from something you told me. Say “forget …” to remove one, or “forget everything”."
            )
        case _:
            return (
                "I have stored nothing about you yet. Tell me your title, skills, where you live or what you never "
                "want to see, and I will remember it for every search."
            )


def _rules(facts: GeneralFacts) -> str:
    if facts.store not in {"read", "empty"}:
        return _known(facts)
    hard = [fact for fact in facts.profile if fact.kind == "constraint"]
    wished = [fact for fact in facts.profile if fact.kind == "preference"]
    currency = [fact for fact in facts.profile if fact.key == "currency"]
    if not hard and not wished:
        return (
            "I keep no rules for you. Say, for example, “never show me agencies”, “remote only” or “nothing under "
            "£40k”, and I will hold every search to it."
        )
    parts: list[str] = []
    if hard:
        lines = profile_lines([*hard, *(currency if any(fact.key == "salary_min" for fact in hard) else [])])
        parts.append("\n".join(["These are the hard rules I hold every search to:", *lines]))
    if wished:
        lines = profile_lines([*wished, *(currency if any(fact.key == "salary_min" for fact in wished) else [])])
        parts.append("\n".join(["What you would like, which rules nothing out:", *lines]))
    parts.append(f"To drop one, say for example “{how_to_forget((hard or wished)[0])}”.")
    return "\n\n".join(parts)


def _forgotten(facts: GeneralFacts) -> str:
    match facts.store:
        case "temporary":
            return (
                "This is a temporary chat, so nothing from it is stored, and I leave your profile alone here. Ask in a "
                "normal chat."
            )
        case "unavailable":
            return "I could not reach your profile just now, so **nothing was removed**. Please ask again in a moment."
        case "read":
            lines = "\n".join(profile_lines(facts.forgotten))
            done = f"I removed {counted(_told_apart(facts.forgotten), 'fact')} from your profile:\n{lines}\n\n"
            resume = "Your CV is deleted too, and that cannot be undone. " if facts.resume_erased else ""
            undo = "The rest comes back with “undo”. " if facts.resume_erased else "“Undo” brings them back. "
            return (
                f"Done. {done if lines else ''}{resume}{undo if lines else ''}This conversation's messages stay until "
                "you delete the conversation."
            )
        case _:
            return (
                "There was nothing to forget: your profile is empty. This conversation's messages stay until you "
                "delete the conversation."
            )


def _told_apart(facts: Sequence[ProfileFact]) -> int:
    """As many as are listed: a currency is told with its amount."""
    keys = [fact.key for fact in facts]
    return len(keys) - (keys.count("currency") if "salary_min" in keys else 0)


def _catalogue(facts: GeneralFacts) -> str:
    where = (
        "What I show comes from this server's catalogue, its guides and tables, the job boards it is set up for, and "
        "what you tell me; I do not search the web at large."
    )
    if facts.store == "unavailable" or facts.postings is None:
        return f"{where} I could not count the postings just now; please ask again in a moment."
    if facts.postings == 0:
        return f"{where} At the moment the catalogue is empty."
    text = f"{where} The catalogue holds **{counted(facts.postings, 'posting')}**"
    if facts.samples == facts.postings:
        text += ", all of them fictional samples for trying things out: none is a real vacancy"
    elif facts.samples:
        text += (
            f", of which {facts.samples:,} {'is a fictional sample' if facts.samples == 1 else 'are fictional samples'}"
        )
    return f"{text}. The newest is dated {facts.newest}." if facts.newest else f"{text}."


_WHAT_I_DO: Final = (
    "What I can do is about work: jobs, CVs and letters, interviews, pay, companies and applications. Say “what can "
    "you do?” for the whole list."
)
_LEADS: Final[dict[Topic, str]] = {
    "scam": (
        "I cannot see who wrote to you, so I cannot say whether it is real. But until you have checked it, **pay "
        "nothing and send no documents or bank details**: somebody who wants money before the job, or hires without "
        "an interview, shows a warning sign."
    ),
    "discouraged": (
        "That is a lot of effort with nothing back, and it would wear anybody down. It says less about you than it "
        "feels like: many applications are never answered at all. You do not have to fix it today; one small change at "
        "the right place helps more than another fifty applications. I can read your CV with you, or practise one "
        "interview, whenever you like. If it weighs on you for longer, please talk to somebody you trust."
    ),
    "what_wrong": (
        "Perhaps nothing, but it can be narrowed down: what counts is at which step it stops. Tell me that, or let me "
        "look at your CV, and I can be more exact."
    ),
}
_SAID: Final[dict[Topic, str]] = {
    "how_to_forget": HOW_TO_FORGET,
    "profile_change": "That is about your profile.",
    "crisis": (
        "I am very sorry that you are in so much pain, and I am glad that you said it. This is not something I can "
        "handle alone, and you should not have to either: if you may be in danger, please call your local emergency "
        "services now, or a crisis line, which findahelpline.com lists for every country. If you can, also tell "
        "somebody near you how you feel and ask them to stay with you."
    ),
    "bad_news": (
        "I am sorry; that is hard news, and it is all right to need some time before anything else. Nothing has to be "
        "decided today. Whenever you are ready, we can take one small step together: look at what is open for you now, "
        "see which skills would widen the choice, or write to somebody who may know of something."
    ),
    "tell_me": (
        "Whatever should count in every search: your title and years of experience, your skills, languages and "
        "certificates, where you live, whether you want remote work only, the least pay you would accept, and what I "
        "should never show you (a company, travel, night shifts). One message is enough; I show you what I stored."
    ),
    "erase_all": (
        "I do not erase everything from within a chat, so that no sentence can do it by mistake; **nothing has been "
        "deleted**. Your privacy settings have “Erase everything”: it deletes your conversations, profile, CV, "
        "applications and all that was kept with them, for good. The same over HTTP: `DELETE /v1/profile` with "
        '`{"erase": "everything"}`. To have only your profile and CV forgotten, say “forget everything about me” here.'
    ),
    "privacy": (
        "What you write is stored on the server that runs this assistant, so that you can come back to the "
        "conversation. Facts about you go into a profile that only your account reads. I send nothing to employers. "
        "You can see it all with “what do you know about me?”, remove a fact with “forget …” or all of them with "
        "“forget everything”. In your privacy settings you can switch remembering off, download all that is stored of "
        "you, and erase it. A temporary chat neither reads nor writes the profile. Which language model answers, and "
        "how long data is kept, is up to whoever runs this server."
    ),
    "identity": (
        "I am Signalbox, a program: a careers assistant that routes your message to a specialist, looks things up in a "
        "catalogue of postings and answers from what it found. No person reads along to answer you."
    ),
    "human": (
        "I am a program and cannot pass you on to a person. For an adviser, a public employment service or your "
        "university's careers office is a good start; I can help you prepare for that talk, for example with your "
        "skill gaps."
    ),
    "cost": (
        "I know of no prices and ask for no payment. Whether this service costs anything is decided by whoever runs "
        "this server, so please ask them."
    ),
    "upload": (
        "You can give me your CV: upload it as PDF, DOCX, Markdown, text or JSON Resume, or paste its text here. I use "
        "it for reviews, letters, matches and interview practice. Other files I cannot read."
    ),
    "languages": (
        "I work in English for now. Other languages may be misunderstood, so short English sentences work best."
    ),
    "complaint": (
        "I am sorry that was not good. Tell me what you wanted in one sentence and I will try again, or say it as a "
        "command, for example `/job_search nurse in Leeds`."
    ),
    "hard_time": (
        "That sounds hard, and looking for work wears people down. I cannot fix the day, but I can take one small "
        "piece off you: a fresh look at openings, or a list of what to learn next. If it weighs on you for longer, "
        "please talk to somebody you trust."
    ),
    "thanks": "You are welcome! I am here when you need the next step.",
    "acknowledged": "All right. Tell me when you want to go on.",
    "statement": (
        "What would you like to do about that? I can look for other jobs, tell you what my guides say if you put it as "
        "a question, or help you write to somebody."
    ),
    "unclear": "I could not make out what you mean. Tell me the job you are after, or ask “what can you do?”.",
}
