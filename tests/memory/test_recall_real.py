"""Recall with the embedder that comes with the package, and real Chroma."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_secretary.memory import Scope, TieredMemory

pytestmark = pytest.mark.model

ANA = Scope(user="ana", thread="t1")


def test_the_embedded_embedder_finds_meaning_in_both_languages_and_nothing_for_nonsense(tmp_path: Path) -> None:
    with TieredMemory.open(tmp_path) as memory:
        dog = memory.remember(ANA, "我的狗叫豆豆")
        refund = memory.record(
            ANA, actor="tool", action="policy", observation="Customers receive their money back within three days."
        )
        memory.remember(ANA, "周五把备份脚本交给小周")
        for query, expected in (("what is my dog called?", dog.memory_id), ("宠物的名字", dog.memory_id)):
            assert memory.recall(ANA, query)[0].ref == expected
        assert memory.recall(ANA, "when do I get reimbursed")[0].ref == refund
        for nonsense in ("zqxv 8841 flibber", "飞机"):
            assert memory.recall(ANA, nonsense) == []
        assert memory.notices == []
        assert memory.check().waiting == 0
