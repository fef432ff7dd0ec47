from __future__ import annotations

import base64
import hashlib
import json
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.memory import graphemes
from memory_secretary.memory.tokens import clean, clip, estimate_tokens

# Texts with their true token counts, measured with the tokenizer of Qwen2.5 (llama.cpp's /tokenize).
ENGLISH_PROSE = {
    "report": (
        "The regional sales team met on Tuesday to review the second quarter. Revenue rose in t"
        "hree of the five districts, mainly because the new delivery schedule made it easier fo"
        "r small shops to reorder before the weekend. Costs, however, grew faster than planned:"
        " fuel was expensive, two vans needed repairs, and the temporary warehouse in Ashford h"
        "ad to be kept open for another month. The committee agreed to postpone the purchase of"
        " the packing machine until the autumn, and asked the finance office for a written comp"
        "arison of the two leasing offers. Nobody objected to the proposal that customers who r"
        "eturn goods within thirty days should receive a full refund, provided the packaging is"
        " undamaged.",
        130,
    ),
    "mail": (
        "Hi Marta,\n\nthanks for sending the drawings so quickly! I had a look at them last night"
        " and I think we're nearly there. Could you please move the door a little closer to the"
        " window, and check whether the radiator still fits underneath? Tom says the electricia"
        "n can't come before the 14th, so there's no hurry. By the way, did you ever hear back "
        "from the landlord about the broken gutter? It's been dripping onto the bikes again.\n\nS"
        "ee you on Friday,\nJosh",
        103,
    ),
    "fiction": (
        "She had walked all the way from the harbour with the letter folded inside her glove, a"
        "nd by the time she reached the gate the ink had begun to run. The garden was empty. A "
        "single lamp burned in the upstairs window, yellow and unsteady, as though somebody wer"
        'e carrying it from room to room. "You\'re late," said a voice behind her. She did not t'
        "urn around at once. The smell of wet leaves and tobacco told her who it was, and for a"
        " moment she felt like the girl who used to steal apples here, thirty summers ago, when"
        " the wall was lower and her brother still alive.",
        125,
    ),
    "academic": (
        "Previous investigations of retrieval-augmented generation have predominantly considere"
        "d homogeneous corpora, in which relevance judgements are comparatively unambiguous. We"
        " hypothesise that heterogeneous conversational archives exhibit qualitatively differen"
        "t failure modes: temporal contradictions, underspecified coreference, and systematic r"
        "ecency bias. To quantify these phenomena, we annotated 1,536 question-answer pairs and"
        " computed inter-annotator agreement using Krippendorff's alpha. Statistically signific"
        "ant improvements were observed for lexical-semantic interpolation, whereas reciprocal "
        "rank fusion yielded negligible benefits. Limitations include the restricted linguistic"
        " diversity of participants and the absence of longitudinal measurements.",
        123,
    ),
    "names": (
        "Anneliese Huygens and Tarek Mahfouz signed the lease with Kestrel Holdings in Ljubljan"
        "a on 9 June. Their solicitor, Siobhan O'Callaghan, had flown in from Galway; the notar"
        "y, Dr Wojciech Szymanski, read the contract aloud in Slovene. Later, at the Cafe Zvezd"
        "a, Priya Venkataraghavan from Nordia Bank explained how the deposit would be transferr"
        "ed to Quillfeather & Sons, and Hiroshi Nakagawa took the photographs.",
        118,
    ),
    "news": (
        "LONDON - Britain's central bank left interest rates unchanged on Thursday, as economis"
        "ts had expected, but warned that inflation could remain above its target for longer th"
        "an it forecast in February. The pound fell 0.4% against the dollar to $1.2684. Shares "
        "in housebuilders such as Barratt, Persimmon and Taylor Wimpey slipped, while exporters"
        ' gained. "We need to see more evidence," the governor told reporters.',
        93,
    ),
    "recipe": (
        "Peel the potatoes, cut them into thick slices and boil them in salted water for eight "
        "minutes. Meanwhile melt the butter in a heavy pan, add the onions and let them soften "
        "slowly. Stir in the flour, pour on the milk a little at a time, and keep whisking unti"
        "l the sauce is smooth. Layer everything in a dish, grate some cheese on top and bake i"
        "t for about half an hour, or until golden and bubbling.",
        91,
    ),
    "chat": (
        "lol yeah i totally forgot about that haha, sorry!! can u resend it? btw we're meeting "
        "at 7 not 6:30, mike's gonna be late again... idk why he even bothers lmao. anyway gott"
        "a run, ttyl :)",
        54,
    ),
    "med": (
        "The patient, a 63-year-old woman with hypothyroidism and paroxysmal atrial fibrillatio"
        "n, was admitted with dyspnoea. Echocardiography showed mild mitral regurgitation; haem"
        "oglobin was 11.2 g/dl and creatinine 96 umol/l. Treatment with bisoprolol and apixaban"
        " was continued, and levothyroxine was increased to 75 micrograms. She was discharged a"
        "fter four days with an appointment at the cardiology outpatient clinic.",
        112,
    ),
    "tech": (
        "To run the server, first install the dependencies with pip, then copy config.example.t"
        "oml to config.toml and set the database URL. The index is rebuilt automatically when t"
        "he embedding model changes; you can force it with the --rebuild flag. If the process e"
        'xits with "database is locked", another instance is still running. Logs go to stderr b'
        "y default and can be rotated with logrotate.",
        80,
    ),
    "talk": (
        (
            "“You're not serious,” said Martha. “I'm afraid I am,” he answered, and put the kettl"
            "e back. “They've sold it, and we'll have to be out by the end of March. Didn't your "
            "brother tell you?”\n\n“He hasn't called since Sunday. He's been so busy with the child"
            "ren that I don't think he even knows.” She looked at the window. “What'll we do with"
            " all of this?”\n\n“We'd better ask Aunt Ellen. She's got the big barn, and she won't m"
            "ind.”"
        ),
        110,
    ),
    "newspaper": (
        (
            "Thousands of commuters were stranded on Wednesday evening after a signal failure nea"
            "r Reading brought trains to a halt across the west of England. Great Western Railway"
            " apologised to passengers and said that normal service would not resume before Thurs"
            'day morning. "We know how frustrating this is," a spokeswoman, Helen Whitmore, told '
            "reporters outside Paddington station. Ministers have promised an inquiry, the third "
            "in two years, and the opposition accused the government of having ignored repeated w"
            "arnings from engineers about ageing equipment."
        ),
        95,
    ),
    "hard lines": (
        (
            "The parish council met twice before anybody thought of asking\nthe carpenter, who had"
            " lived beside the bridge for forty years and\nremembered perfectly well where the old"
            " foundations lay. He came\nalong on Saturday with a lantern and a measuring rod, walk"
            "ed slowly\nup and down the bank, and pointed at a clump of willows. Beneath\nthem, har"
            "dly a foot under the grass, they found the first stones."
        ),
        87,
    ),
    "manual": (
        (
            "A queue decouples the part of a program that produces work from the part that consum"
            "es it. When the consumer is slower, items pile up; a bounded queue then blocks the p"
            "roducer, which is usually what you want, because memory stays limited and the delay "
            "becomes visible. If losing items is acceptable, drop the oldest ones instead and cou"
            "nt how many were dropped. Do not retry inside the consumer without a limit: a single"
            " broken item would stop everything behind it. Measure the length of the queue over t"
            "ime before you add more workers."
        ),
        106,
    ),
}

OTHERS = {
    "chinese notes": (
        "周五把备份脚本交给小周,然后检查一下上个月的发票总额是否与合同一致。客户要求我们在十五个工作日之内回复,否则将取消订单。",
        35,
    ),
    "chinese article": (
        "中国的机器学习研究者提出了一种新的记忆方法,它把长期记忆与短期记忆分开存储,并由秘书模型负责整理、归纳、提醒与检查。中国",
        36,
    ),
    "traditional chinese": (
        "這個專案的目標是讓小型模型也能完成長期任務,祕書會把所有發生過的事情記錄下來,並且在需要的時候提醒執行者。歡迎來到臺灣,請慢慢享用鳳梨酥。",
        45,
    ),
    "classical chinese": (
        "學而時習之,不亦說乎?有朋自遠方來,不亦樂乎?人不知而不慍,不亦君子乎?魑魅魍魎,饕餮貔貅,齏粉薑韭。",
        52,
    ),
    "japanese": (
        "来週は京都で打ち合わせがあります。請求書の合計は四万二千円でした。ありがとうございます、よろしくお願いいたします。データベースのパスワードは教えられません。",
        41,
    ),
    "japanese novel": (
        "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所でニャーニャー泣いていた事だけは記憶している。",
        54,
    ),
    "korean": (
        "다음 주에 서울에서 회의가 있습니다. 청구서 총액은 사만이천 원이었습니다. 감사합니다. 쀍뷁 똠방각하 펲시콜라",
        47,
    ),
    "chinese and english": (
        "GitHub备份在NAS-3上,周五由小周用rsync同步到/mnt/backup,共417.25 GB。",
        31,
    ),
    "emoji": (
        "👩\u200d🚒👨\u200d👩\u200d👧\u200d👦🏳️\u200d🌈🇨🇿🇩🇪👍🏽🎉🔥🦄🥑🫠\U0001fabf",
        35,
    ),
    "emoji in prose": (
        "Great work 🎉🎉 see you ☀️ tomorrow ❤️ ✅ done ❌ failed ⚠️ warn 1️⃣ 2️⃣ →⇒ ★",
        40,
    ),
    "base64": (
        "5+7nYV7zXzDkm0guFcrnUAcgHhJhew/tp+Fkd5b/AivqjtAqgqF1kw8jN803lMUiCABtaxrwwMvWJWWKrCyfqg"
        "fRPER+MwUe7vlaYOVhQ9bEO8rXbACKmwpr",
        88,
    ),
    "base64url": (
        "X8kzFUpt4oQEqJfFJSYuanwHvL7oQfdFxV1On3R_YVFkxvco1xg1NxOCesiD1_uWWSNAdPUlj2xoCCOJ0uR_Hh"
        "dakLxDL7lG5qlHEQnzt58RCib2Ip-jRSUm",
        84,
    ),
    "base32": (
        "466BMQVOWQV7EJ6VB77QPQ6CAYSCSLR3QPK2TRXK4HWCUD46FT3AW5JZ734IEBN4TJEWOVVP4L7XXJ6PQBS5YZTNYRYKE22F",
        72,
    ),
    "hex": (
        "44feb314208d5639e6f18c6dd3c3fca1e7a426108e158fb59e0945cfe8610c887948183be437bc276566f3835b05f112",
        88,
    ),
    "random letters": (
        "hiyl mzwh nxm oogu mr okugdxz ghm jrz iwalqcb krnyipagz nzb rkvz peqx pswcyhoqr xrufqq"
        " jvmtgj rqis gnrdqatma qm pcw",
        58,
    ),
    "numbers": (
        "1234567890 3.14159 417.25 1,000,000 2026-03-01T00:30:00Z +420 601 234 567",
        72,
    ),
    "csv": (
        "id,customer,total,date\n4471,Halden,417.25,2026-03-01\n4472,Brno Ltd,1200.00,2026-03-02\n"
        "4473,Kestrel,88.10,2026-03-05\n",
        85,
    ),
    "json": (
        '{"order": {"id": "ORD-4471", "lines": [{"sku": "A-12", "qty": 3, "price": 9.99}], "pai'
        'd": true, "note": null}}',
        51,
    ),
    "html": (
        '<div class="row"><span id="total">417.25</span><a href="/orders?page=2&amp;sort=desc">next</a></div>',
        38,
    ),
    "python": (
        "def retry(call, *, times=3):\n    for attempt in range(times):\n        try:\n           "
        " return call()\n        except TimeoutError:\n            if attempt == times - 1:\n     "
        "           raise\n",
        40,
    ),
    "c": (
        "static inline int clamp(int x, int lo, int hi) { return x < lo ? lo : (x > hi ? hi : x); } /* no overflow */",
        35,
    ),
    "log": (
        "2026-03-01 00:30:12,417 WARN [worker-3] db.pool: timeout after 30000ms (conn=0x7f3a9c) retry 2/5",
        58,
    ),
    "uuids": (
        "550e8400-e29b-41d4-a716-446655440000\n6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        67,
    ),
    "markdown table": (
        "| item | qty | price |\n|------|----:|------:|\n| tea  | 3   | 4.20  |\n| rice | 12  | 1.05  |\n",
        46,
    ),
    "blanks": (
        " \n\n\t\t  \r\n   \n \t \n",
        6,
    ),
    "indented lines": (
        "\n        a\n            b\n                c\n",
        10,
    ),
    "one blank": (
        " ",
        1,
    ),
    "signs": (
        "!?;:,.()[]{}<>@#$%^&*_-+=/\\|~`\"' -- ... ===>",
        23,
    ),
    "rulers": (
        "----------------------------------------\n========================================\n************\n",
        6,
    ),
    "german": (
        "Die Rückerstattungsrichtlinie für Jahresabonnements änderte sich am zwölften Mai; Künd"
        "igungsfristverlängerungen müssen schriftlich beantragt werden. Überprüfen Sie die Gesa"
        "mtbeträge größerer Rechnungen.",
        58,
    ),
    "french": (
        "Le rapport sur les remboursements a été modifié à Orléans; veuillez vérifier l'intégra"
        "lité des factures impayées où l'échéance est dépassée. Ça vous plaît, cœur?",
        51,
    ),
    "czech": (
        "Příliš žluťoučký kůň úpěl ďábelské ódy. Zpráva o vrácení peněz je hotová, zkontrolujte"
        " prosím částku faktury do pátku. Rizicích.",
        66,
    ),
    "vietnamese": (
        "Báo cáo hoàn tiền đã sẵn sàng, vui lòng kiểm tra tổng số tiền của hóa đơn trước thứ sá"
        "u. Những người bạn của tôi thường đến đây.",
        35,
    ),
    "russian": (
        "Отчёт о возвратах за двенадцать месяцев готов, пожалуйста, проверьте сумму счёта до пя"
        "тницы. Съешь ещё этих мягких французских булок.",
        51,
    ),
    "arabic": (
        "تقرير الاسترداد جاهز، يرجى التحقق من إجمالي الفاتورة قبل يوم الجمعة. بسم الله الرحمن الرحيم مُدَرِّسَةٌ",
        44,
    ),
    "hindi": (
        "धनवापसी रिपोर्ट तैयार है, कृपया शुक्रवार तक चालान की राशि की जाँच करें।",
        68,
    ),
    "thai": (
        "รายงานการคืนเงินพร้อมแล้ว กรุณาตรวจสอบยอดรวมใบแจ้งหนี้ก่อนวันศุกร์",
        29,
    ),
}


def spread(first: int, count: int, length: int, step: int) -> str:
    """Characters from all over a block, the same ones each time."""
    return "".join(chr(first + place * step % count) for place in range(length))


def noise(length: int) -> bytes:
    return b"".join(hashlib.sha256(bytes([part])).digest() for part in range(length))


WHOLE_BLOCK = spread(0x4E00, 20_992, 6_000, 7_919)
# The greater of the counts by the tokenizers of Qwen2.5 and of DeepSeek V3.
GENERATED = {
    "han of the whole block": (WHOLE_BLOCK[:600], 1051),
    "han of the simplified set": ("".join(char for char in WHOLE_BLOCK if char.encode("gb2312", "ignore")), 2679),
    "han of the traditional set": ("".join(char for char in WHOLE_BLOCK[:1500] if char.encode("big5", "ignore")), 1584),
    "han extension a": (spread(0x3400, 6_592, 300, 2_503), 895),
    "han extension b": (spread(0x20000, 42_720, 300, 15_013), 1196),
    "emoji of all blocks": (spread(0x1F300, 0x800, 500, 797), 1238),
    "flags": (spread(0x1F1E6, 26, 200, 7), 400),
    "long base64": (base64.b64encode(noise(20)).decode(), 627),
    "base64 in lines": (base64.encodebytes(noise(20)).decode(), 643),
}


@pytest.mark.parametrize("name", ENGLISH_PROSE)
def test_the_estimate_is_tight_on_english_prose(name: str) -> None:
    text, true = ENGLISH_PROSE[name]
    assert true <= estimate_tokens(text) <= 1.25 * true


@pytest.mark.parametrize("name", OTHERS | GENERATED)
def test_the_estimate_is_never_below_the_true_count(name: str) -> None:
    text, true = (OTHERS | GENERATED)[name]
    assert estimate_tokens(text) >= true


def test_each_digit_is_a_token() -> None:
    assert estimate_tokens("0123456789") == 10


def test_nothing_costs_nothing_and_something_costs_something() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens(" ") == 1


@given(st.text(max_size=200), st.text(max_size=200))
def test_more_text_never_costs_less(text: str, more: str) -> None:
    assert estimate_tokens(f"{text}\n字{more}") >= estimate_tokens(text)


WHOLES = st.sampled_from(["👩‍🚒", "e\u0301", "🇨🇿", "字", "word ", "417.25 ", "\r\n", "각", "\ud83e\udd14", "x", "\n"])
TEXTS = st.one_of(st.text(max_size=300), st.lists(WHOLES, max_size=150).map("".join))


@given(TEXTS, st.integers(0, 80), st.sampled_from([len, estimate_tokens]), st.sampled_from([None, "evt_1"]))
def test_clipped_text_is_within_any_limit(text: str, limit: int, counter: object, ref: str | None) -> None:
    assert callable(counter)
    assert counter(clip(text, limit, counter, ref=ref)) <= limit


@given(TEXTS, st.integers(0, 400))
def test_what_fits_is_not_touched(text: str, limit: int) -> None:
    if len(text) <= limit:
        assert clip(text, limit, len) == text


@given(st.lists(WHOLES, min_size=80, max_size=150).map("".join), st.integers(70, 79))
def test_clipping_keeps_head_and_tail_and_cuts_no_grapheme(text: str, limit: int) -> None:
    head, _, rest = clip(text, limit, len).partition("\n[… ")
    tail = rest.partition(" characters left out …]\n")[2]
    assert head and tail and text.startswith(head) and text.endswith(tail)
    for place in (len(head), len(text) - len(tail)):
        assert graphemes.floor(text, place) == place


def test_the_note_says_how_much_is_left_out_and_how_to_fetch_it() -> None:
    text = "".join(f"line {number} holds {number * 7}\n" for number in range(2_000))
    clipped = clip(text, 200, ref="evt_7")
    head, _, rest = clipped.partition("\n[… ")
    left_out, _, rest = rest.partition(" characters left out; ")
    call, _, tail = rest.partition(" reads them …]\n")
    assert call == f'read_record("evt_7", start={len(head)})'
    assert len(head) + int(left_out) + len(tail) == len(text)
    assert text.startswith(head) and text.endswith(tail)
    assert estimate_tokens(clipped) > 150


def test_a_number_is_not_cut_in_two() -> None:
    text = "total 417.25 EUR, " * 400
    for limit in range(40, 90):
        head, _, rest = clip(text, limit, len).partition("[")
        assert head.split()[-1] in {"total", "417.25", "EUR,"}
        assert rest.partition("]")[2].split()[0] in {"total", "417.25", "EUR,"}


@pytest.mark.parametrize("unit", ['<div class="x">row</div>', "x", "字", " ", "e\u0301", "🇨🇿", "👩‍🚒", "\ud83e\udd14"])
def test_megabytes_on_one_line_are_clipped_in_bounded_time(unit: str) -> None:
    text = unit * (3_000_000 // len(unit))
    began = time.monotonic()
    clipped = clip(text, 300)
    assert time.monotonic() - began < 10
    assert estimate_tokens(clipped) <= 300
    assert len(clipped) < 20_000


def test_the_counter_never_sees_the_whole_of_a_huge_text() -> None:
    longest = 0

    def counter(text: str) -> int:
        nonlocal longest
        longest = max(longest, len(text))
        return len(text)

    clip("字" * 3_000_000, 100, counter)
    assert longest < 10_000


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("ok\u0000end", "ok␀end"),
        (json.loads('"tail \\ud83e"'), "tail ⟨U+D83E⟩"),
        ("\ud83e\udd14", "🤔"),
        (b"caf\xc3".decode("utf-8", "surrogateescape"), "caf⟨U+DCC3⟩"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("a\x9b31mb\x7f", "a⟨U+009B⟩31mb␡"),
        ("tab\tline\r\n中文 👩‍🚒 e\u0301", "tab\tline\r\n中文 👩‍🚒 e\u0301"),
    ],
)
def test_broken_and_hidden_characters_become_visible(raw: str, shown: str) -> None:
    assert clean(raw) == shown


@given(st.text(alphabet=st.characters(codec=None, exclude_categories=[]), max_size=60))
def test_cleaned_text_is_valid_and_stays_as_it_is(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    once.encode("utf-8")
    assert "\0" not in once and "\x1b" not in once


def test_clipping_a_cleaned_text_leaves_it_clean() -> None:
    chance = random.Random(3)
    text = clean("".join(chr(chance.randrange(0x11_0000)) for _ in range(3_000)))
    for limit in range(0, 200, 7):
        clipped = clip(text, limit)
        assert clean(clipped) == clipped
