"""The words on the memory's screens in English and Chinese: sentences, and what the codes of its records are called."""

from __future__ import annotations

from memory_secretary.memory.terms import TERMS as TERMS_OF_MEMORIES

EN = {
    "nothing": "nothing",
    "nothing_waits": "Nothing waits to become cards.",
    "nothing_found": "Nothing that is kept fits this.",
    "nothing_kept": "nothing kept for user {user!r} in {folder} (other user: --user)",
    "no_such_cards": "user {user!r} has no cards of this status in {folder}; the {n} of any status:\n{command}",
    "no_cards_yet": "user {user!r} has no cards in {folder} yet; what was said and done is there, and is found by:\n"
    "{command}",
    "scored": "score",
    "score": "score = ({similarity} similarity + {recency} recency + {type} type + {related} related) × standing",
    "score_made": (
        "similarity is made of lexical (the same words), dense (the same meaning), neighbours (the turns around) and "
        "situation (what a card is for); evidence is what the floor of {floor} is held against"
    ),
    "came_wished": "you asked to remember it",
    "came_kept": "kept of you, whatever is asked",
    "came_newest": "among the newest",
    "came_words": "has words of the question",
    "came_meaning": "close to it in meaning",
    "came_situation": "meant for this situation",
    "came_neighbours": "said next to something that fits",
    "remembered": "Kept.",
    "known_already": "This was kept before; nothing was changed.",
    "edited": "Changed: this is version {n}; the words before it stay in its history.",
    "restored": "Back: the card is current as version {n}, and searches find it.",
    "restored_turn": "Back: searches and briefs have the turn again, with its answer.",
    "restored_waits": "It waits again to become a card.",
    "not_forgotten": "It was not forgotten; nothing was changed.",
    "masked": "What looks like a key or password was masked before it was written: it is kept nowhere.",
    "tried": "tried {n} times",
    "wish": "asked to be remembered; used already, not yet a card",
    "forgotten_only": "nothing kept for user {user!r} in {folder}; cards forgotten: {n}, which until a vacuum "
    "`memory-secretary memory restore ID` brings back; they are listed by:\n{command}",
    "told": "Told without a wish to keep it, and no card yet: {n}. Searches find it all the same:",
    "told_more": "… and {n} more, older ones",
    "told_way": "Cards are made of it by:\n{command}",
    "told_way_here": "Cards are made of it, once this chat has ended, by:\n{command}",
    "settling": "making cards of what waits",
    "settled": (
        "Turns judged: {turns}; cards written: {cards}; said before: {known}; parts refused: {refused}; "
        "model calls: {calls}."
    ),
    "settled_stopped": "Ended before all was judged: {why}",
    "settled_pending": (
        "Turns that stay pending: {n}. `memory-secretary memory pending` says why, the next `memory-secretary memory "
        "settle` tries again; searches find them word for word."
    ),
    "estimating": "reading the documents",
    "distilling": "distilling",
    "distill_documents": "Documents: {documents}; unchanged: {unchanged}; not readable: {failures}.",
    "distill_passages": "To be read by the teacher: {n} passages, one call each, about {prompt} tokens to read and "
    "{reply} to write.",
    "distill_minutes": "At the pace of the last time this takes about {n} min.",
    "distill_unknown": "How long it takes is known once this teacher has read its first passages here.",
    "distill_price": "Price, at what you gave for a million tokens: about {n}.",
    "distill_progress": "passages distilled: {n} of {of}",
    "distill_interrupted": "Interrupted; what was distilled is kept, and the same command goes on from there.",
    "distilled": (
        "Documents distilled: {distilled}; unchanged: {unchanged}; passages read: {passages}; cards written: {cards}; "
        "known before: {known}; superseded: {superseded}; parts refused: {refused}; model calls: {calls}; tokens: "
        "{tokens}; seconds of the teacher: {seconds}."
    ),
    "distill_refused": "Refused:",
    "distill_failed": "Failed ({n}); the next run tries again:",
    "distill_more": "… and {n} more (--json has all)",
    "distill_removed": "Distilled before and gone from there; their cards stay:",
    "distill_stopped": "Ended before all was done: {why}. What was distilled is kept; the same command goes on "
    "from there.",
    "learning": "learning",
    "methods_tasks": "Finished tasks: {tasks}; kinds whose method stays as it is: {unchanged}; kinds to be learned: "
    "{kinds}.",
    "methods_calls": "The teacher is asked once for each kind, {n} times (twice where an answer cannot be used), about "
    "{prompt} tokens to read and {reply} to write.",
    "methods_progress": "kinds of task learned: {n} of {of}",
    "methods_interrupted": "Interrupted; what was learned is kept, and the same command goes on from there.",
    "methods_learned": "Methods written: {methods}; unchanged: {unchanged}; parts refused: {refused}; model calls: "
    "{calls}; tokens: {tokens}; seconds of the teacher: {seconds}.",
    "methods_stopped": "Ended before all was done: {why}. What was learned is kept; the same command goes on from "
    "there.",
    "methods_switch": "They come into briefs with MEMORY_SECRETARY_METHODS=1, and are listed by memory list.",
    "figure_events": "events",
    "figure_cards": "cards",
    "figure_all_events": "events of all users",
    "figure_all_cards": "cards of all users",
    "figure_known": "known already",
    "figure_others": "earlier versions, marks of what was forgotten, waiting turns and tasks",
    "figure_records": "records",
    "figure_without_vector": "without vector",
    "figure_damage": "damage",
    "figure_repaired": "put back into the word index",
    "figure_orphans": "entries of no record removed from the word index",
    "figure_waiting": "waiting for the vector index",
    "figure_missing": "missing from the vector index",
    "figure_stray": "entries of no record removed from the vector index",
    "figure_unreachable": "in the vector index, but no search finds them",
    "reindexed": "Done: both indexes were made anew.",
    "exported": "Lines written to {path}: {n}.",
    "imported": "Taken in from {path}:",
    "copied": "Copied to {path}.",
    "check_damaged": "damaged: put back a backup made with `memory-secretary memory backup`",
    "check_repaired": "sound; index entries repaired: {n}",
    "check_sound": "sound: nothing to repair",
    "check_ledger_sound": "the ledger is sound",
    "check_unchecked": "the vector index was not checked: {why}",
    "check_behind": "waiting for the vector index: {n}; words find them now",
    "check_waiting": "waiting for the vector index: {n}; the next search by meaning takes them in, words find them now",
    "check_without_vector": (
        "not embedded: {n}; by words they are found, and `memory-secretary memory reindex` tries to embed them again"
    ),
    "vacuum_outlook": (
        "A vacuum erases for good what was forgotten, of all users of {folder}: cards {cards} (versions {versions}), "
        "turns {events}. It then rewrites the ledger without gaps; nothing else changes."
    ),
    "vacuum_done": (
        "Erased: cards {cards} (versions {versions}), turns {events}. "
        "The ledger had {before} bytes and has {after} now: {freed} bytes freed."
    ),
    "consolidated": "Cards looked at: {seen}. Settled: {promoted}; merged into one: {merged}; ended by a newer value: "
    "{ended}; lowered: {lowered}; left, since they were changed meanwhile: {skipped}; refused: {refused}.",
    "page_written": "Written to {path}.",
    "inspection_outlook": "Make these changes of status or weight: {n}? `memory restore` takes each one back.",
    "inspection_done": "Changed: {changed}; left, since they were changed meanwhile: {skipped}.",
    "not_changed": "Nothing was changed. The proposed changes are made by:\n{command}",
    "figure_seen": "cards looked at",
    "uses": "in {recalled} runs; cited in {cited}; {succeeded} done, {failed} stopped; last on {last}",
    "no_uses": "in no run so far",
    "sure": "Go on? [y/N] ",
    "unchanged": "Nothing was changed.",
}

ZH = {
    "nothing": "没有记录",
    "nothing_waits": "没有等待整理成卡片的内容。",
    "nothing_found": "没有与此相符的记忆。",
    "nothing_kept": "{folder} 里没有用户 {user!r} 的记录（换用户：--user）",
    "no_such_cards": "用户 {user!r} 在 {folder} 里没有这种状态的卡片；查看任何状态的全部 {n} 张：\n{command}",
    "no_cards_yet": "用户 {user!r} 在 {folder} 里还没有卡片；说过和做过的都在，可用此命令查找：\n{command}",
    "scored": "得分",
    "score": "得分 =（{similarity} 相似度 + {recency} 新近度 + {type} 类型 + {related} 关联）× 效力",
    "score_made": (
        "相似度由同词（同样的词）、同义（同样的意思）、邻近（前后的轮次）和情境（卡片适用的情况）合成；"
        "依据须达到下限 {floor}"
    ),
    "came_wished": "您要求记住",
    "came_kept": "关于您的记录，问什么都用得上",
    "came_newest": "属于最新的记录",
    "came_words": "有问题里的词",
    "came_meaning": "意思与问题相近",
    "came_situation": "适用于这种情况",
    "came_neighbours": "与相符的内容前后相邻",
    "remembered": "已记下。",
    "known_already": "这条早已记下；没有任何改动。",
    "edited": "已改写：现在是第 {n} 版，原来的文字留在历史里。",
    "restored": "已恢复：这张卡片重新有效，现在是第 {n} 版，检索可以找到。",
    "restored_turn": "已恢复：检索和简报重新用得到这句话及其回答。",
    "restored_waits": "它重新等待整理成卡片。",
    "not_forgotten": "它没有被遗忘；没有任何改动。",
    "masked": "看起来是密钥或密码的部分在写入前已被遮盖：不会保存在任何地方。",
    "tried": "已尝试 {n} 次",
    "wish": "要求记住；已经起作用，还不是卡片",
    "forgotten_only": "{folder} 里没有用户 {user!r} 的记录；已遗忘的卡片 {n} 张，彻底抹去之前可用 "
    "`memory-secretary memory restore 编号` 恢复；列出它们请执行：\n{command}",
    "told": "说过、没有要求记住、还不是卡片的话：{n} 条。检索照样找得到：",
    "told_more": "……还有较早的 {n} 条",
    "told_way": "要把它们整理成卡片，请执行：\n{command}",
    "told_way_here": "这次对话结束后，要把它们整理成卡片，请执行：\n{command}",
    "settling": "正在把等待中的内容整理成卡片",
    "settled": (
        "已判断的对话：{turns}；写入卡片：{cards}；早已记下：{known}；未采纳：{refused}；模型调用：{calls} 次。"
    ),
    "settled_stopped": "没有全部判断完就结束了：{why}",
    "settled_pending": (
        "仍在等待的对话：{n}。`memory-secretary memory pending` 会说明原因，"
        "下次 `memory-secretary memory settle` 会再试；检索可按原话找到。"
    ),
    "estimating": "正在读取文档",
    "distilling": "正在提炼",
    "distill_documents": "文档 {documents} 个；未变 {unchanged} 个；无法读取 {failures} 个。",
    "distill_passages": "教师模型要读 {n} 段，每段调用一次，约读 {prompt} 词元、写 {reply} 词元。",
    "distill_minutes": "按上次的速度约需 {n} 分钟。",
    "distill_unknown": "这个教师模型在这里读过几段之后，才知道需要多久。",
    "distill_price": "按您给出的每百万词元价格，费用约 {n}。",
    "distill_progress": "已提炼 {n} / {of} 段",
    "distill_interrupted": "已中断；已提炼的内容都保留，再次执行同一命令会从这里继续。",
    "distilled": (
        "提炼文档 {distilled} 个；未变 {unchanged} 个；读了 {passages} 段；写入卡片 {cards} 张；原已知道 {known} 张；"
        "被取代 {superseded} 张；拒绝 {refused} 处；调用模型 {calls} 次；词元 {tokens}；教师模型用时 {seconds} 秒。"
    ),
    "distill_refused": "拒绝的内容：",
    "distill_failed": "失败 {n} 项；下次运行会再试：",
    "distill_more": "……还有 {n} 项（--json 列出全部）",
    "distill_removed": "以前提炼过、现已不在那里的文档；它们的卡片保留：",
    "distill_stopped": "没有全部完成就结束了：{why}。已提炼的内容都保留；再次执行同一命令会从这里继续。",
    "learning": "正在学习",
    "methods_tasks": "已完成的任务 {tasks} 个；做法不变的种类 {unchanged} 个；要学的种类 {kinds} 个。",
    "methods_calls": "每个种类调用教师模型一次，共 {n} 次（回答不能用时再问一次），约读 {prompt} 词元、"
    "写 {reply} 词元。",
    "methods_progress": "已学习 {n} / {of} 种任务",
    "methods_interrupted": "已中断；已学到的都保留，再次执行同一命令会从这里继续。",
    "methods_learned": "写入做法 {methods} 张；未变 {unchanged} 个；拒绝 {refused} 处；调用模型 {calls} 次；"
    "词元 {tokens}；教师模型用时 {seconds} 秒。",
    "methods_stopped": "没有全部完成就结束了：{why}。已学到的都保留；再次执行同一命令会从这里继续。",
    "methods_switch": "设置 MEMORY_SECRETARY_METHODS=1 后，做法会写进简报；可用 `memory-secretary memory list` 查看。",
    "figure_events": "事件",
    "figure_cards": "卡片",
    "figure_all_events": "所有用户的事件",
    "figure_all_cards": "所有用户的卡片",
    "figure_known": "已有",
    "figure_others": "较早版本、遗忘标记、等待整理的轮次和任务",
    "figure_records": "记录",
    "figure_without_vector": "没有向量",
    "figure_damage": "损坏",
    "figure_repaired": "补回词语索引",
    "figure_orphans": "移出词语索引（没有对应的记录）",
    "figure_waiting": "等待进入向量索引",
    "figure_missing": "向量索引中缺少",
    "figure_stray": "移出向量索引（没有对应的记录）",
    "figure_unreachable": "在向量索引中却搜不到",
    "reindexed": "完成：两个索引都已重建。",
    "exported": "已写入 {path}：{n} 行。",
    "imported": "已从 {path} 导入：",
    "copied": "已复制到 {path}。",
    "check_damaged": "已损坏：请放回用 `memory-secretary memory backup` 做的备份",
    "check_repaired": "完好；已修复的索引条目：{n}",
    "check_sound": "完好：无需修复",
    "check_ledger_sound": "账本完好",
    "check_unchecked": "没有检查向量索引：{why}",
    "check_behind": "等待进入向量索引：{n}；按词现在就能找到",
    "check_waiting": "等待进入向量索引：{n}；下一次按语义检索时会收入，按词现在就能找到",
    "check_without_vector": "未能嵌入：{n}；按词仍能找到，`memory-secretary memory reindex` 会再试一次",
    "vacuum_outlook": (
        "将彻底抹去 {folder} 里所有用户已遗忘的内容：卡片 {cards} 张（{versions} 个版本）、对话 {events} 条。"
        "随后紧凑地重写账本；其余内容不变。"
    ),
    "vacuum_done": (
        "已抹去：卡片 {cards} 张（{versions} 个版本）、对话 {events} 条。"
        "账本原有 {before} 字节，现有 {after} 字节：释放 {freed} 字节。"
    ),
    "consolidated": "已看卡片 {seen} 张。转入长期 {promoted}；合并 {merged}；被新值取代而结束 {ended}；降权 {lowered}；"
    "期间被改动而留待下次 {skipped}；被拒绝 {refused}。",
    "page_written": "已写入 {path}。",
    "inspection_outlook": "是否作这些状态或权重的改动：{n} 项？每一项都可用 `memory-secretary memory restore` 撤回。",
    "inspection_done": "已改动 {changed} 项；期间被改动而未动的 {skipped} 项。",
    "not_changed": "没有做任何改动。要作所建议的改动，请执行：\n{command}",
    "figure_seen": "已看卡片",
    "uses": "用于 {recalled} 次运行；被引用 {cited} 次；完成 {succeeded} 次，中止 {failed} 次；最近 {last}",
    "no_uses": "尚未用于任何运行",
    "sure": "继续吗？[是/否，默认否] ",
    "unchanged": "没有做任何改动。",
}

PLAIN = {
    "queue": {
        "remember": "asked to remember",
        "session_closed": "session closed",
        "feeling": "strong feeling",
        "turns": "several turns",
        "queued": "waiting",
        "claimed": "being worked on",
    },
    "tier": {"short": "short (not yet long)"},
    "access": {"all": "all agents of this user or team"},
    "kind": {"fact": "stated", "inference": "inferred"},
    "field": {"kind": "stated or inferred", "access_level": "readable by"},
}
"""By what they are of: codes that are no words, in plain English; all others are shown in English as they are."""

TERMS: dict[str, dict[str, str]] = {
    **TERMS_OF_MEMORIES,
    "stop": {"step_limit": "到了步数上限", "no_progress": "没有进展", "no_usable_reply": "没有可用的回复"},
    "kind": {"fact": "原话所述", "inference": "推断"},
    "tier": {"working": "工作", "short": "短期（尚未转入长期）", "long": "长期"},
    "access": {"all": "该用户（或团队）的所有智能体", "team": "团队", "private": "仅本人"},
    "reason": {
        "written": "写入",
        "edited": "改写",
        "imported": "导入",
        "forgotten": "遗忘",
        "restored": "恢复",
        "superseded by": "取代它的是",
        "contradicted by a newer card": "与较新的卡片矛盾",
        "its document no longer says so": "它的文档已不再这样写",
        "what replaced it was forgotten": "取代它的卡片被遗忘",
        "said again": "再次说到",
        "merged": "合并",
        **{
            f"inspected {kind}": f"检查：{zh}"
            for kind, zh in {
                "orphaned": "失去依据",
                "harmful": "有害",
                "stale": "过期",
                "contradictory": "互相矛盾",
                "dead": "失活",
                "never_used": "从未用到",
            }.items()
        },
    },
    "queue": {
        "remember": "要求记住",
        "preference": "偏好",
        "correction": "更正",
        "feeling": "强烈情绪",
        "turns": "攒够轮数",
        "session_closed": "会话结束",
        "turn ended": "一轮结束",
        "queued": "等待中",
        "claimed": "处理中",
        "failed": "失败",
    },
    "rule": {
        "recalled": "召回",
        "rank": "名次",
        "floor": "下限",
        "no_match": "不相符",
        "not_indexed": "未编入索引",
        "forgotten": "已遗忘",
        "status": "状态",
        "filter": "过滤",
        "rights": "权限",
    },
    "part": {
        "similarity": "相似度",
        "recency": "新近度",
        "type": "类型",
        "related": "关联",
        "standing": "效力",
        "lexical": "同词",
        "dense": "同义",
        "neighbours": "邻近",
        "situation": "情境",
        "evidence": "依据",
    },
    "field": {
        "memory_id": "编号",
        "type": "类型",
        "content": "内容",
        "source_agent": "来源",
        "related_ids": "关联卡片",
        "timestamp": "时间",
        "status": "状态",
        "access_level": "谁能读",
        "version": "版本",
        "tier": "层",
        "scope": "属于",
        "subject": "主题",
        "attribute": "属性",
        "value": "值",
        "applies_to": "适用于",
        "valid_from": "有效期始",
        "valid_until": "有效期至",
        "weight": "权重",
        "confidence": "置信度",
        "supersedes": "取代",
        "evidence": "依据",
        "kind": "来源性质",
        "about": "由此推断",
        "uses": "使用情况",
    },
}
"""By what they are of: each code of a record in Chinese."""
