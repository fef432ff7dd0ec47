"""Of whom a statement of the user's is: of themselves, or of another person, by name or relation."""

from __future__ import annotations

import re

from memory_secretary.memory.records import MemoryType
from memory_secretary.nodes.wishes import kind_of

USER = "user"
"""The subject of what the user says of themselves."""
FIRST_PERSON = re.compile(r"\b(?:i|i['’]\w+|my|me|mine|we|our|us|we['’]\w+)\b|我|咱|俺|本人", re.IGNORECASE)
"""The user speaks of themselves."""
_PERSON = (
    r"(?:colleague|coworker|friend|boss|manager|sister|brother|mother|mom|mum|father|dad|wife|husband|partner|"
    r"girlfriend|"
    r"boyfriend|son|daughter|kid|child|children|aunt|uncle|cousin|grandmother|grandfather|grandma|grandpa|neighbou?r|"
    r"flatmate|roommate|teacher|doctor|client|customer|landlord|team ?mate|nephew|niece|parents)s?"
)
_PERSON_ZH = (
    r"(?:同事|朋友|老板|上司|经理|姐姐|妹妹|哥哥|弟弟|母亲|妈妈|父亲|爸爸|妻子|太太|老婆|丈夫|先生|老公|对象|"
    r"女朋友|男朋友|儿子|"
    r"女儿|孩子|阿姨|叔叔|舅舅|姑姑|表[哥弟姐妹]|堂[哥弟姐妹]|奶奶|爷爷|外婆|外公|邻居|室友|老师|医生|客户|房东|"
    r"同学|侄子|侄女|父母)"
)
_VERB_ZH = (
    r"(?=也|都|还|就|很|最|从|不|没|对|喜欢|讨厌|是|在|住|有|能|会|吃|喝|爱|怕|过敏|要|想|用|说|养|得|刚|"
    r"已|每|下|上|明|今|生|的|叫(?!我)|\d)"
)
_VERB = (
    r"(?:is|are|was|were|has|have|had|can(?:not|['’]t)?|does|doesn['’]t|did|didn['’]t|will|won['’]t|should|must|"
    r"lives|likes|loves|hates|prefers|works|eats|drinks|needs|wants|moved|uses|owns|keeps|plays|speaks|thinks|"
    r"never|always|"
    r"banks|turns|starts|left|joined|got|bought)"
)
_LEAD = (
    r"^(?:(?:please )?(?:remember|note|keep in mind|by the way|btw|also|oh|well|no|wait|sorry|actually|correction|"
    r"that['’]?s wrong|i meant|i got that wrong)\b[:,.]?\s*(?:that\s+)?)*"
)
_LEAD_ZH = (
    r"^(?:请|你|要|帮我|麻烦)*(?:记住|记得|记一下|顺便说一?下?|对了|另外|还有|更正一?下?|不对|其实|等等|我?[说弄搞记][错混]了)?"
    r"[：:，,\s]*"
)
_OTHERS = re.compile(
    rf"{_LEAD}(?:my|our)\s+(?:\w+\s+)?(?P<relation>{_PERSON})\b(?!\s+and\s+i\b)(?:,?\s+(?-i:(?P<name>[A-Z][\w’-]+)))?",
    re.IGNORECASE,
)
_NAMED = re.compile(rf"{_LEAD}(?-i:(?P<name>[A-Z][\w’-]+(?: [A-Z][\w’-]+)?))\s+{_VERB}\b", re.IGNORECASE)
_NOT_NAMES = frozenset(
    "i we it this that there the my our you he she they everything nothing what who please always never also but and "
    "so then yes no thanks maybe perhaps today tomorrow now".split()
)
"""Words with a capital at the beginning of a sentence that name nobody."""
_OTHERS_ZH = re.compile(
    rf"{_LEAD_ZH}(?:我们?的?|咱们?的?)(?P<relation>{_PERSON_ZH})(?P<name>[\u4e00-\u9fffA-Za-z]{{1,6}}?)?{_VERB_ZH}"
)
_NO_SUBJECT = re.compile(
    r"^(?:just |recently |now )?(?:switched|moved|changed|started|stopped|quit|joined|left|bought|sold|got|"
    r"became|gave up)\b|"
    r"^(?:刚|刚刚|最近|现在|已经|上周|上个月|昨天|今天)?[，,]?(?:换|搬|改|开始|停止|不再|加入|离开|买了|卖了|戒)",
    re.IGNORECASE,
)
"""What is said without a subject is said of the one who speaks."""


def subject_of(sentence: str) -> str:
    """Of whom a statement is: ``user``, another person by name or relation, or empty where code cannot tell."""
    other = _OTHERS.search(sentence) or _OTHERS_ZH.search(sentence)
    if other:
        return other["name"] or other["relation"]
    named = _NAMED.search(sentence)
    if named and named["name"].casefold() not in _NOT_NAMES and not FIRST_PERSON.match(sentence):
        return named["name"]
    own = FIRST_PERSON.search(sentence) or _NO_SUBJECT.search(sentence)
    return USER if own or kind_of(sentence) is MemoryType.PREFERENCE else ""
