"""Every demand on conspectus with an id, and which tests claim to prove it; whether they do is for the tests to show.

A test names what it proves: `@pytest.mark.proves("R-STEP-GATHER")`. tests/house/test_requirements.py checks that every
named id exists; `python -m tests.requirements` prints the ids that no test names yet.
"""

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

TESTS = Path(__file__).parent

HOUSE = {
    "R-HOUSE-BASE": "A base install brings at most 10 packages, tokenizer included, and none of an extra's.",
    "R-HOUSE-CI": "The check runs exactly the test command of the README.",
    "R-HOUSE-CONTRACTS": "Imports go down only, stages are independent, the core is pure, no circles; all bite.",
    "R-HOUSE-DEPENDENCIES": "Every direct dependency is explained.",
    "R-HOUSE-DETERMINISM": "Nothing depends on hash seed, locale, time zone or insertion order.",
    "R-HOUSE-DOCS": "Built parts of the pages are up to date; every snippet and example runs.",
    "R-HOUSE-ERRORS": "One error tree, drawn in errors.py; every error carries fields and says what to do next.",
    "R-HOUSE-FACE": "The face has at most 25 names, frozen in a list.",
    "R-HOUSE-HAPPY-PATH": "The happy path is at most 25 lines of Python, in the README and run by the tests.",
    "R-HOUSE-IMPORT": "Importing the face loads nothing heavy, and no import has an effect.",
    "R-HOUSE-LIMITS": "Files, functions, complexity, constructors and names keep their limits, without exception.",
    "R-HOUSE-LOCK": "Every package is locked with a hash and comes from the standard index.",
    "R-HOUSE-MAKE": "make knows setup demo test lint bench torture soak docs; each does its own set-up.",
    "R-HOUSE-SCHEMAS": "A golden file exists for every persisted schema version.",
    "R-HOUSE-STYLE": "The linter and the formatter have nothing to say.",
    "R-HOUSE-TYPES": "Strict types on src, examples and docs_src.",
}

VALUES = {
    "R-VALUE-SPEC-HASH": "Any change of any part of a ContextSpec is another spec hash; equal specs hash equally.",
    "R-VALUE-CANONICAL": "Canonical bytes do not depend on the order in which mappings and sets were filled.",
    "R-VALUE-FROZEN": "Values are frozen; what they hold is immutable.",
    "R-VALUE-ITEM": "An item without id, content, aware times or a known kind is refused with the field named.",
    "R-VALUE-AUTHORITY": "authority(derived) <= min(authority(sources)), always; a role implies no authority.",
    "R-VALUE-TRUST": "What is derived from untrusted items stays untrusted, its sources kept.",
}

STEPS = {
    "R-STEP-RESOLVE": "The spec resolves into one bundle; an unknown revision is an error, not a default.",
    "R-STEP-MANDATORY": "Mandatory items are the approved instructions, the request and what they depend on.",
    "R-STEP-GATHER": "One failing source fails alone and is recorded; an error text is never evidence.",
    "R-STEP-AUTHORIZE": "Tenant, readers, ACL version and expiry are checked before anything looks at content.",
    "R-STEP-NO-TRACE": "What the caller may not read is one number per source; content and id leave no trace.",
    "R-STEP-DEDUPE": "Exact duplicates go by hash; near-duplicates collapse with all their sources kept.",
    "R-STEP-SUPERSEDE": "Superseded versions are out.",
    "R-STEP-CONFLICT": "Contradicting items from trusted sources are both shown, with sources, versions and times.",
    "R-STEP-DEPENDENCIES": "Dependencies are resolved; an item pays for its unpaid ones; a missing one is recorded.",
    "R-STEP-RANK": "Relevance, recency and the caller's prior are each recorded; the prior is kept.",
    "R-STEP-SELECT": "Selection stays within the limit and the shares, by value per token.",
    "R-STEP-UNITS": "A call and its results are one unit; a signed or thinking block is kept whole or dropped whole.",
    "R-STEP-ORDER": "The default order is the stable prefix first.",
    "R-STEP-SERIALIZE": "The payload is written with the model's own template; tools are counted.",
    "R-STEP-REDUCE": "Over the limit the declared ladder is walked rung by rung, and each step is recorded.",
    "R-STEP-OVERFLOW": "Mandatory items are never cut: they fit, or MandatoryOverflow lists each with its size.",
    "R-STEP-ADMISSION": "T(X) <= W_in and T(X) + R + L <= W_total; no payload that breaks either ever leaves.",
}

INVARIANTS = {
    "R-CONTRACT-ACCOUNT": "Every candidate ends in exactly one of kept, transformed, omitted; the counts add up.",
    "R-CONTRACT-REASONS": "Reasons are codes from a closed set, and everything that can happen has one.",
    "R-CONTRACT-IDENTITY": "Under the limit nothing is removed: the identity when there is nothing to do.",
    "R-CONTRACT-DETERMINISM": "Same candidates, spec and now: the same bytes, across seeds, zones, locales, orders.",
    "R-CONTRACT-REPLAY": "replay rebuilds the byte-identical payload, or says which source is gone.",
    "R-CONTRACT-EXACT": "Claimed tokens are those of the serialized payload, for every profile called exact.",
    "R-CONTRACT-ESTIMATE": "Profiles that cannot be exact say so, carry a margin, and alarm on drift above it.",
    "R-CONTRACT-DATA": "Control tokens, role markers and our fence in data stay data: no extra role or id.",
    "R-CONTRACT-PARSE": "parse(serialize(items)) == items after recorded sanitising.",
    "R-CONTRACT-FENCE": "The fence is fixed, collision-checked and escaped, and the escaping is reversible.",
    "R-CONTRACT-GRAPHEME": "No cut inside a grapheme; the payload always re-encodes as UTF-8.",
    "R-CONTRACT-ORPHAN": "Never an orphan tool result, a call without result, or an empty payload.",
    "R-CONTRACT-SCRIPTS": "Chinese, Japanese, Korean, emoji and code count and rank as well as English.",
    "R-CONTRACT-POLICIES": "Policies are named, revisioned values of the spec, never read from the workspace.",
    "R-CONTRACT-NO-CONTENT": "A manifest holds ids, hashes, counts and reasons, never content.",
}

CAUSES = {
    "R-CAUSE-NOT-RETRIEVED": "diagnose: no source offered it, or it failed, ignored or could not read it.",
    "R-CAUSE-NOT-AUTHORIZED": "diagnose: not authorized or expired, told only to an operator who may know.",
    "R-CAUSE-EXCLUDED": "diagnose: left out in selection, with its score, its price and what it lost to.",
    "R-CAUSE-REDUCED": "diagnose: lost in compaction or reduction, with the pointer to the original.",
    "R-CAUSE-SERIALIZATION": "diagnose: broken in serialization.",
    "R-CAUSE-NOT-USED": "diagnose: provided but not used by the answer.",
    "R-CAUSE-ONE": "diagnose names exactly one cause.",
}

SOURCES = {
    "R-SOURCE-CONFORMS": "Every source passes the conformance suite of sources.",
    "R-SOURCE-INSTRUCTIONS": "Approved files and strings carry authority application or platform and a revision.",
    "R-SOURCE-FILES-IGNORE": "files honours .gitignore, and says what it ignored.",
    "R-SOURCE-FILES-SKIP": "files skips binaries and files over a stated size with a recorded reason.",
    "R-SOURCE-FILES-ROOT": "files never leaves its root, by link, dots or exchange.",
    "R-SOURCE-FILES-CHUNKS": "Code is cut by function and class, Markdown by heading, the rest by paragraph.",
    "R-SOURCE-FILES-IDS": "Ids name file and lines; version is the content hash; observed_at the modification time.",
    "R-SOURCE-FILES-SKELETON": "README, project configuration and the outline of the tree are small stable items.",
    "R-SOURCE-FILES-WHOLE": "--whole keeps a document indivisible: whole, or a typed failure.",
    "R-SOURCE-FILES-NEEDS": "A chunk that cannot be read without another declares it: a method and its class header.",
    "R-SOURCE-HISTORY-OPENAI": "JSONL in OpenAI's shape is read.",
    "R-SOURCE-HISTORY-ANTHROPIC": "JSONL in Anthropic's shape is read: several results, images, signed blocks.",
    "R-SOURCE-HISTORY-REPAIR": "Damaged histories are repaired, recorded, or refused with line numbers.",
    "R-SOURCE-DEMONSTRATIONS": "Format, label and order belong to the policy revision; examples have their place.",
    "R-SOURCE-ITEMS": "Items from JSONL are validated; the first bad line is named with its number and field.",
    "R-SOURCE-SLOTS": "Required evidence is read from a file of slots.",
}

COUNTING = {
    "R-COUNT-CONFORMS": "Every profile passes the conformance suite of profiles.",
    "R-COUNT-LOCAL": "An open model from a folder renders as its server does, tools included, and counts exactly.",
    "R-COUNT-OPENAI": "OpenAI's encodings with message and tool framing are declared estimated, with a margin.",
    "R-COUNT-ANTHROPIC": "Anthropic is estimated offline, exact through the provider's count endpoint where a key is.",
    "R-COUNT-LIVE": "The live small model reports the prompt tokens that we claimed.",
    "R-COUNT-PARITY": "A fast engine is used only where its parity test passes, with the reference as fallback.",
    "R-COUNT-ADDITIVE": "Item frames are certified per tokenizer: the payload counts the sum of its parts.",
    "R-COUNT-CACHE": "Per-item counts are cached by content hash; a cached count equals a fresh one.",
    "R-COUNT-CONTROL": "Control tokens, role markers and the fence inside data are data in every profile.",
    "R-COUNT-UNKNOWN": "Unknown kinds of blocks raise; a failing counter is an error, never 0.",
}

STRUCTURE = {
    "R-LAYOUT-SECTIONS": "The six sections, as text and as messages; every kind has its place.",
    "R-LAYOUT-CITES": "Every item cites its source, version and time; data is fenced and named as data.",
    "R-LAYOUT-TOOLS": "A Tools section names what can be asked for.",
    "R-LAYOUT-CONFLICTS": "Conflicts stand side by side under one heading.",
    "R-LAYOUT-SLOTS": "Missing required evidence is named; Output says to decline rather than guess.",
    "R-LAYOUT-TABLE": "The docs map each name and setting of the older builder to ours.",
}

BUDGETS = {
    "R-BUDGET-RESERVES": "Input limit, output reserve and loop reserve are kept; no knob is dead.",
    "R-BUDGET-SHARES": "Per-kind minimum and maximum hold, in tokens and as percentages.",
    "R-BUDGET-BM25": "Ranking understands code identifiers, Chinese, Japanese and Korean.",
    "R-BUDGET-CLOSURE": "Selection by value per token keeps dependency closure.",
    "R-BUDGET-LADDER": "Lowest value per token goes first, then tool results shorten, then schemas become names.",
    "R-BUDGET-POINTER": "A shortened result keeps head, tail and a pointer to the archived original.",
}

DOORS = {
    "R-DOOR-ASSEMBLE": "assemble prints the payload on stdout and everything else on stderr, with every option.",
    "R-DOOR-FORMATS": "text, json, openai and anthropic; the provider's client accepts the body as it is.",
    "R-DOOR-WHY": "why: every decision about one item, file or source.",
    "R-DOOR-DIAGNOSE": "diagnose: which of the six causes.",
    "R-DOOR-QUALITY": "quality: relevance, completeness, density, duplication, conflicts, coverage, use, suggestions.",
    "R-DOOR-RECONCILE": "reconcile: our count against the provider's usage; drift above the margin is an alarm.",
    "R-DOOR-REPLAY": "replay authorizes its caller again and prints the payload in its first form.",
    "R-DOOR-RETENTION": "Archived content keeps its source's readers and retention.",
    "R-DOOR-DIFF": "diff: what entered, left, moved, grew, and why.",
    "R-DOOR-MODELS": "models: profiles, exact or estimated, limits, revision.",
    "R-DOOR-MANIFEST-SCHEMA": "A manifest has the promised fields and a published JSON Schema that it satisfies.",
    "R-DOOR-MANIFEST-REF": "MANIFEST is a path or a request id; every command takes --home.",
    "R-DOOR-HELP": "--help has examples and states default profile, window, reserves and the unit of --share.",
    "R-DOOR-PLAIN": "Tables and bars on a terminal, plain text when piped; progress on long work; completion.",
    "R-DOOR-STATE": "State lives in .conspectus/; corrupt or newer state is refused, never overwritten.",
}

EXITS = {
    "R-EXIT-0": "0: done.",
    "R-EXIT-2": "2: usage and impossible settings.",
    "R-EXIT-3": "3: bad input.",
    "R-EXIT-4": "4: cannot assemble; nothing on stdout, each mandatory item with its tokens on stderr.",
    "R-EXIT-5": "5: replay drift or missing blob.",
    "R-EXIT-6": "6: storage.",
    "R-EXIT-7": "7: tool.",
    "R-EXIT-8": "8: model.",
}

BAD_INPUT = {
    "R-BAD-QUESTION": "An empty question.",
    "R-BAD-LIMIT-IMPOSSIBLE": "Limits of -1 and 0.",
    "R-BAD-LIMIT-ONE": "A limit of 1.",
    "R-BAD-LIMIT-EXACT": "Exactly enough fits; one less does not.",
    "R-BAD-RESERVE": "A reserve at or above the window.",
    "R-BAD-PROFILE": "An unknown profile.",
    "R-BAD-KIND": "An unknown kind.",
    "R-BAD-UNREADABLE": "An unreadable file.",
    "R-BAD-VANISHED": "A file that vanishes while it is read.",
    "R-BAD-UTF8": "Invalid UTF-8.",
    "R-BAD-BOM": "A byte order mark.",
    "R-BAD-CRLF": "CRLF line ends.",
    "R-BAD-NUL": "NUL bytes.",
    "R-BAD-HUGE": "A file of 1 GB.",
    "R-BAD-EMPTY-LINES": "A million empty lines.",
    "R-BAD-JSON": "Broken JSON at line N.",
    "R-BAD-DUPLICATE-IDS": "Duplicate ids.",
    "R-BAD-CYCLE": "Dependency cycles.",
    "R-BAD-FUTURE": "Items from the future.",
    "R-BAD-NAIVE": "Naive timestamps.",
    "R-BAD-EXPIRED": "Expired items.",
    "R-BAD-TENANT": "An item whose tenant differs.",
}

SHOWN = {
    "R-SHOW-EXACT": "Claimed = exact on 10,000 payloads x 5 tokenizers x 5 templates, none over the limit.",
    "R-SHOW-ACCOUNT": "Every candidate explained; 1,000 replays identical over seeds, zones, locales, orders.",
    "R-SHOW-SPEED": "The bench measures select, compose, counting, memory, import and commands.",
    "R-SHOW-TORTURE": "The torture fixtures come out right here.",
}

# Reported faults of comparable systems, by what went wrong there; the right behaviour is ours.
PAINS = {
    "R-PAIN-P001": "One matching id lets a run of tool results through: every id in a kept slice has its call.",
    "R-PAIN-P002": "A result whose call was summarized away: pairs are atomic.",
    "R-PAIN-P004": "Truncation leaves a leading tool message.",
    "R-PAIN-P005": "A pair partly outside the slice: closure reaches beyond it.",
    "R-PAIN-P007": "A reducer that strips although nothing is over: no-op is identity.",
    "R-PAIN-P008": "Popping from the middle leaves an orphan.",
    "R-PAIN-P010": "One bad pair poisons a conversation: repaired on load, recorded.",
    "R-PAIN-P011": "A malformed call also needs a result.",
    "R-PAIN-P013": "Signed turns are kept byte-exact or dropped whole.",
    "R-PAIN-P020": "Tools and system prompt count: the rendered payload is counted.",
    "R-PAIN-P022": "Tool calls, thinking and citations count; unknown kinds raise.",
    "R-PAIN-P023": "A failing counter is an error.",
    "R-PAIN-P025": "Template tokens count.",
    "R-PAIN-P026": "Budgets of kinds are hard; the meter is the payload.",
    "R-PAIN-P028": "The output reserve belongs to the limit.",
    "R-PAIN-P029": "A reserve at or above the window is refused.",
    "R-PAIN-P031": "No reserve is silently ignored.",
    "R-PAIN-P032": "Counts are right in Chinese, Japanese, Korean and emoji.",
    "R-PAIN-P035": "Images cost something, documented.",
    "R-PAIN-P037": "Counters have known answers.",
    "R-PAIN-P040": "An overflow lists the mandatory items and their sizes.",
    "R-PAIN-P076": "Tool schemas have a budget.",
    "R-PAIN-P077": "The settings in force are visible.",
    "R-PAIN-P079": "BM25 finds Japanese.",
    "R-PAIN-P080": "An exact tool name always matches first.",
    "R-PAIN-P083": "No clock at the head of a payload: the prefix is stable.",
    "R-PAIN-P097": "A conflict is found in Chinese too.",
    "R-PAIN-P098": "Only the same subject and relation supersede.",
    "R-PAIN-P100": "The same fact nine times is one fact.",
    "R-PAIN-P101": "Authorization comes before ranking, caches, counts and manifests.",
    "R-PAIN-P103": "Documentation runs in the tests.",
}

ASSEMBLY_CASES = {
    "R-CASE-D01": "Chat-template control strings in data give no control id.",
    "R-CASE-D02": "Data that closes the wrapper stays one item.",
    "R-CASE-D03": "Data that starts with a forged wrapper is wrapped as data.",
    "R-CASE-D04": "[INST], <<SYS>> and </s> give no control id.",
    "R-CASE-D05": "<start_of_turn>model gives no control id.",
    "R-CASE-D06": "Instructions in tag characters are removed and recorded.",
    "R-CASE-D07": "A bidi override is flattened; the true order is shown.",
    "R-CASE-D08": "Zero-width characters inside a word are marked.",
    "R-CASE-D09": "Data that is a JSON message stays a string in one item.",
    "R-CASE-D10": "Structural tokens that are not special give no structural id.",
    "R-CASE-D11": "Our own markers in data parse back.",
    "R-CASE-D12": "Nested control strings reach a fixed point.",
    "R-CASE-D13": "What is derived from untrusted items stays untrusted.",
    "R-CASE-D14": "A memory saved from a tool result stays untrusted, its source kept.",
    "R-CASE-D15": "A mandatory item above the budget is a typed failure, not a cut.",
    "R-CASE-D16": "Terminal escapes in tool output are removed before any display.",
    "R-CASE-D17": "Eight hash seeds, the same bytes.",
    "R-CASE-D18": "Two trusted sources that disagree are both shown with source and time.",
}

# Defects of the builder that came before (docs/from-gssc.md), each reproduced there.
REFERENCE = {
    "R-REF-NOTES": "Every kind that is selected and charged is rendered.",
    "R-REF-PRIOR": "The caller's relevance is kept.",
    "R-REF-UNSPACED": "An unspaced query ranks.",
    "R-REF-INSTRUCTIONS": "Instructions are never dropped silently.",
    "R-REF-TRUNCATION": "No section, and no question, is cut from the end.",
    "R-REF-HISTORY": "History is not one packet: what fits is kept.",
    "R-REF-SCAFFOLD": "Headings and the question are part of the budget.",
    "R-REF-TOOL-ERRORS": "A failing tool is no evidence; a document with the word error in it is one.",
    "R-REF-MEMORY": "A source that is gone is recorded as failed, not swallowed.",
    "R-REF-AWARE-TIMES": "Times with a zone are the rule.",
    "R-REF-FORGED-HEADINGS": "Retrieved text forges no heading and never reaches the system role.",
    "R-REF-OFFLINE": "Construction needs no download.",
}

RANKING = {
    "R-RANK-SIGNALS": "Each signal says what it is named after, in English and in Chinese, whatever the order.",
}

PACKING = {
    "R-PACK-OPTIMUM": "Small instances with needs, forms, headings and shares: 99 % of the optimum, never below 95 %.",
    "R-PACK-BOUND": "The printed bound is never violated; when everything fits, everything enters.",
    "R-PACK-TIGHT": "With candidates in abundance 99.9 % of the budget is used and 99.9 % of the bound reached.",
}

SECTIONS = (
    HOUSE, VALUES, STEPS, INVARIANTS, CAUSES, SOURCES, COUNTING, STRUCTURE, BUDGETS, DOORS, EXITS, BAD_INPUT, SHOWN,
    PAINS, ASSEMBLY_CASES, REFERENCE, RANKING, PACKING,
)  # fmt: skip
REQUIREMENTS: Mapping[str, str] = {name: text for section in SECTIONS for name, text in section.items()}


def claims(text: str) -> Iterator[str]:
    """Every id named by a `proves` mark in one test module; ValueError where an argument is no plain string."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "proves":
            for argument in node.args:
                if not (isinstance(argument, ast.Constant) and isinstance(argument.value, str)):
                    raise ValueError(f"line {node.lineno}: proves takes plain strings, so that they can be found")
                yield argument.value


def claimed(tests: Path = TESTS) -> dict[str, list[str]]:
    """Ids named by tests, each with the test modules that name it."""
    found: dict[str, list[str]] = {}
    for path in sorted(tests.rglob("test_*.py")):
        for name in claims(path.read_text(encoding="utf-8")):
            modules = found.setdefault(name, [])
            if (module := str(path.relative_to(tests))) not in modules:
                modules.append(module)
    return found


def unproved() -> list[str]:
    """Ids that no test names."""
    return sorted(set(REQUIREMENTS) - set(claimed()))


def main() -> int:
    """Print what no test names yet; 1 where there is any."""
    missing = unproved()
    for name in missing:
        print(f"{name:<28} {REQUIREMENTS[name]}")
    print(f"{len(REQUIREMENTS) - len(missing)} of {len(REQUIREMENTS)} demands are named by a test")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
