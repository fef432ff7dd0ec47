"""The doctor's words: each phrase in English and in Chinese, side by side."""

from __future__ import annotations

from memory_secretary.graph.words import Lang
from memory_secretary.memory.program import as_typed

_COLUMN: dict[Lang, int] = {"en": 0, "zh": 1}


def word(lang: Lang, key: str, **values: object) -> str:
    """The phrase for ``key``; whole numbers get separators of thousands, and commands can be typed as they stand."""
    shown = {
        name: f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value
        for name, value in values.items()
    }
    return as_typed(PHRASES[key][_COLUMN[lang]].format(**shown))


def size(count: int) -> str:
    """A number of bytes as people read it: ``1.1 GB``."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"


PHRASES: dict[str, tuple[str, str]] = {
    # --- names of what is looked at -----------------------------------------------------------------------------------
    "versions": ("versions", "版本"),
    "settings": ("settings", "设置"),
    "weights": ("weights", "权重"),
    "server": ("server", "服务器"),
    "model": ("model", "模型"),
    "window": ("window", "窗口"),
    "schema": ("schema", "格式"),
    "speed": ("speed", "速度"),
    "processor": ("processor", "处理器"),
    "together": ("together", "并存"),
    "embedder": ("embedder", "嵌入"),
    "folder": ("folder", "文件夹"),
    "disk": ("disk", "磁盘"),
    "ledger": ("ledger", "账本"),
    "index": ("index", "索引"),
    "executor": ("executor", "执行者"),
    "secretary": ("secretary", "秘书"),
    # --- the screen ---------------------------------------------------------------------------------------------------
    "same": ("the same model", "同一模型"),
    "busy": ("looking at {name}", "正在检查{name}"),
    "busy_starting": ("starting the model", "正在启动模型"),
    "busy_asking": ("asking the model's server", "正在询问模型服务"),
    "busy_reading": ("filling the model's window", "正在填满模型的窗口"),
    "busy_speed": ("measuring how fast the model reads and writes", "正在测量模型读写的速度"),
    "first": ("Do this first: what stands at “{name}” above", "第一步：先处理上面“{name}”这一项"),
    "slow": (
        "It works, but slowly: a step takes about {step} s here, ten steps {minutes} min. Faster: a smaller model, a "
        "graphics card or a smaller window, see “{name}” above",
        "可以使用，但很慢：这里一步约需 {step} 秒，十步 {minutes} 分钟。改用更小的模型、显卡或更小的窗口会更快，"
        "见上面“{name}”这一项",
    ),
    "fine": (
        "All is well. Try: memory-secretary run --example",
        "一切正常。试试看：memory-secretary run --example --lang zh",
    ),
    "broke": ("this check broke off ({error})", "此项检查中断（{error}）"),
    "broke_cure": (
        "report it with this line; the other checks are not touched by it",
        "请带上这一行反馈给我们；其余各项检查不受影响",
    ),
    # --- versions -----------------------------------------------------------------------------------------------------
    "package_missing": ("{package} is not installed", "未安装 {package}"),
    "package_missing_cure": ("pip install '{requirement}'", "请运行 pip install '{requirement}'"),
    "package_wrong": ("{package} {found} does not fit {requirement}", "{package} {found} 不符合 {requirement}"),
    "fts5_missing": ("this Python's SQLite {sqlite} lacks FTS5", "此 Python 的 SQLite {sqlite} 不含 FTS5"),
    "fts5_missing_cure": (
        "use a Python that has it, such as python.org's",
        "请改用带有它的 Python，例如 python.org 的版本",
    ),
    # --- settings -----------------------------------------------------------------------------------------------------
    "settings_ok": (
        "prompts of up to {executor_window} tokens for the executor, {secretary_window} for the secretary (a model "
        "for both is loaded with the larger window)",
        "提示词上限：执行者 {executor_window}，秘书 {secretary_window} 词元（共用的模型按较大的窗口加载）",
    ),
    "settings_changed": (
        "prompts of up to {executor_window} tokens for the executor, {secretary_window} for the secretary (a model "
        "for both is loaded with the larger window); set by variables: {changed}",
        "提示词上限：执行者 {executor_window}，秘书 {secretary_window} 词元（共用的模型按较大的窗口加载）；"
        "由环境变量设定：{changed}",
    ),
    "variable_cure": (
        "correct the variable, or unset it: unset {variable}",
        "请改正该变量，或取消它：unset {variable}",
    ),
    "variable_unknown": ("{variable} is set, but there is no such setting", "设置了 {variable}，但没有这个设置项"),
    "variable_near": ("did you mean {near}?", "是否想写 {near}？"),
    "variable_gone": ("unset it: unset {variable}", "请取消它：unset {variable}"),
    # --- weights ------------------------------------------------------------------------------------------------------
    "engine_missing": ("llama.cpp is not installed, so no embedded model runs", "未安装 llama.cpp，内置模型无法运行"),
    "engine_missing_cure": (
        "pip install 'memory-secretary[embedded]', or name a server's model with --executor ollama:NAME",
        "请运行 pip install 'memory-secretary[embedded]'，或用 --executor ollama:模型名 改用服务器上的模型",
    ),
    "weights_verified": ("{model}, {shown}, verified", "{model}，{shown}，已校验"),
    "weights_own": ("{path}, {shown}, a file of your own", "{path}，{shown}，您自己的文件"),
    "weights_missing": ("{model} ({shown}) is not on this machine yet", "{model}（{shown}）尚未下载到本机"),
    "weights_partial": ("{model} is here in part ({here} of {shown})", "{model} 只下载了一部分（{here} / {shown}）"),
    "weights_fetch": ("memory-secretary models fetch {short}", "请运行 memory-secretary models fetch {short}"),
    "weights_unverified": (
        "{model} ({shown}) has not been verified, or has changed since",
        "{model}（{shown}）尚未校验，或校验之后有改动",
    ),
    "weights_verify": ("memory-secretary models verify {short}", "请运行 memory-secretary models verify {short}"),
    # --- server and model ---------------------------------------------------------------------------------------------
    "server_ok": ("{kind} answers at {url}", "{kind} 在 {url} 有应答"),
    "model_ok": ("{model} is there", "{model} 可用"),
    "model_assumed": ("{model}: the server has no list to check it against", "{model}：服务器没有可供核对的模型列表"),
    # --- window -------------------------------------------------------------------------------------------------------
    "window_ok": ("{window} tokens in force, {asked} asked for", "实际生效 {window} 词元，要求 {asked}"),
    "window_read": (
        "a prompt of {read} tokens was read whole ({asked} asked for)",
        "{read} 词元的提示词被完整读入（要求 {asked}）",
    ),
    "window_small": (
        "only {window} tokens are in force of {asked} asked for: longer prompts lose their beginning silently",
        "实际生效仅 {window} 词元，而要求 {asked}：更长的提示词会被悄悄截去开头",
    ),
    "window_lower": (
        "give the model a larger window on its server, or set {variable}={fits}",
        "请在服务器上给该模型更大的窗口，或设置 {variable}={fits}",
    ),
    "window_ignored": (
        "Ollama's /v1 address ignores the window asked for ({asked} tokens)",
        "Ollama 的 /v1 地址不理会所要求的窗口（{asked} 词元）",
    ),
    "window_better": ("use {better} in place of openai:{model}", "请用 {better} 代替 openai:{model}"),
    "window_trained": (
        "{asked} tokens are asked for, but the model was made for {trained}",
        "要求 {asked} 词元，但该模型训练时只支持 {trained}",
    ),
    "window_trained_cure": (
        "set {variable}={fits} or less, or unset it: unset {variable}",
        "请把 {variable} 设为 {fits} 或更小，或取消它：unset {variable}",
    ),
    "window_unknown": (
        "{asked} tokens asked for; the server does not say what is in force",
        "要求 {asked} 词元；服务器未说明实际生效多少",
    ),
    "window_unknown_cure": (
        "find out with one long prompt: memory-secretary doctor --full",
        "可用一条长提示词查明：memory-secretary doctor --full",
    ),
    # --- how it answers -----------------------------------------------------------------------------------------------
    "schema_json_schema": ("replies are held to a JSON schema", "回复可被约束为 JSON 模式"),
    "schema_json_object": (
        "replies are held to JSON but not to a schema: it stands in the prompt, which gets longer",
        "回复可约束为 JSON，但不能约束为模式：模式写在提示词里，提示词会变长",
    ),
    "schema_text": (
        "replies are held to nothing: the schema stands in the prompt, and some steps will be lost",
        "回复不受约束：模式写在提示词里，有些步骤会作废",
    ),
    "schema_text_cure": (
        "use a server with structured output if you can (Ollama, llama.cpp, vLLM, LM Studio)",
        "如有可能，请用支持结构化输出的服务器（Ollama、llama.cpp、vLLM、LM Studio）",
    ),
    "speed_ok": (
        "reads {read} tokens/s, writes {written} tokens/s: a step takes about {step} s",
        "每秒读 {read} 词元、写 {written} 词元：一步约需 {step} 秒",
    ),
    "speed_whole": ("a short reply took {seconds} s", "一次简短回复用时 {seconds} 秒"),
    "speed_slow": (
        "close other programs that keep the processor busy; else use a smaller model (the smallest that is embedded: "
        "--executor embedded:qwen2.5-coder-0.5b), a graphics card, or a smaller window",
        "请关闭占用处理器的其他程序；否则请改用更小的模型（内置最小的：--executor embedded:qwen2.5-coder-0.5b）、显卡，"
        "或更小的窗口",
    ),
    # --- memory of the machine ----------------------------------------------------------------------------------------
    "processor_gpu": ("all of {model} ({shown}) lies on the graphics card", "{model}（{shown}）全部在显卡上"),
    "processor_cpu": ("{model} ({shown}) runs without a graphics card", "{model}（{shown}）没有使用显卡"),
    "processor_mixed": (
        "only {percent} % of {model} ({shown}) lies on the graphics card, which is slow",
        "{model}（{shown}）只有 {percent}% 在显卡上，速度会很慢",
    ),
    "processor_mixed_cure": (
        "use a smaller quantization of it, or a smaller window",
        "请用它的更小量化版本，或更小的窗口",
    ),
    "together_ok": ("{executor} and {secretary} stay loaded together", "{executor} 与 {secretary} 可同时驻留"),
    "together_not": (
        "only one of {executor} and {secretary} stays loaded, so each change of role loads a model",
        "{executor} 与 {secretary} 只能驻留一个，每次换角色都要重新加载",
    ),
    "together_not_cure": (
        "use one model in both roles (unset MEMORY_SECRETARY_SECRETARY), or a smaller one",
        "请两个角色用同一个模型（取消 MEMORY_SECRETARY_SECRETARY），或用更小的模型",
    ),
    "room_low": (
        "the embedded model takes about {need} with its windows, and {free} of memory are free",
        "内置模型连同窗口约占 {need} 内存，目前空闲 {free}",
    ),
    "room_low_cure": (
        "close other programs, use embedded:0.5b, or set smaller windows",
        "请关闭其他程序、改用 embedded:0.5b，或把窗口设小",
    ),
    # --- embedder -----------------------------------------------------------------------------------------------------
    "embedder_ok": ("{embedder}, {dimension} dimensions", "{embedder}，{dimension} 维"),
    "embedder_offline": ("{embedder}, {dimension} dimensions, works offline", "{embedder}，{dimension} 维，可离线使用"),
    "embedder_unasked": ("{embedder}, not asked (--quick)", "{embedder}，未询问（--quick）"),
    "embedder_none": ("none: memory is searched by words alone", "未设置：仅按词语检索记忆"),
    "embedder_useless": (
        "{embedder} gave no usable vector for a plain sentence",
        "{embedder} 对一句普通的话没有给出可用的向量",
    ),
    "embedder_useless_cure": (
        "choose another with MEMORY_SECRETARY_EMBEDDER, e.g. embedded or ollama:bge-m3",
        "请用 MEMORY_SECRETARY_EMBEDDER 另选一个，例如 embedded 或 ollama:bge-m3",
    ),
    "embedder_other": (
        "the index of this memory was made with {made}, now it is {embedder}",
        "此记忆的索引由 {made} 建立，现在用的是 {embedder}",
    ),
    "embedder_other_cure": (
        "go back to the former, or embed anew: memory-secretary memory reindex",
        "请改回原来的，或重新嵌入：memory-secretary memory reindex",
    ),
    # --- memory folder ------------------------------------------------------------------------------------------------
    "folder_ok": ("{folder} can be written", "{folder} 可写"),
    "folder_new": ("{folder} will be made by the first run", "{folder} 将在首次运行时建立"),
    "folder_file": ("{folder} is a file, not a folder", "{folder} 是文件，不是文件夹"),
    "folder_file_cure": ("name a folder with --memory", "请用 --memory 指定一个文件夹"),
    "disk_ok": ("{shown} free", "剩余 {shown}"),
    "disk_low": ("only {shown} free where the memory lies", "记忆所在磁盘仅剩 {shown}"),
    "disk_low_cure": (
        "free some space, or move the memory with --memory",
        "请腾出空间，或用 --memory 换一个位置",
    ),
    "ledger_none": ("empty: nothing has been recorded yet", "空：尚无任何记录"),
    "ledger_ok": (
        "sound; of all users, events: {events}, cards: {cards} ({shown})",
        "完好；所有用户的事件：{events}，卡片：{cards}（{shown}）",
    ),
    "ledger_pending": (
        "turns that are no cards yet: {pending}; recall finds them as they are",
        "还没有整理成卡片的轮次：{pending}；检索时已能直接找到",
    ),
    "ledger_pending_cure": (
        "to make cards of them: memory-secretary memory settle",
        "要整理成卡片，请执行：memory-secretary memory settle",
    ),
    "ledger_failed": (
        "turns that could not become cards: {failed}; they are kept",
        "未能整理成卡片的轮次：{failed}；原文都在",
    ),
    "ledger_failed_cure": ("see why: memory-secretary memory pending", "查看原因：memory-secretary memory pending"),
    "ledger_damaged": ("damaged ({damage})", "已损坏（{damage}）"),
    "ledger_damaged_cure": (
        "put back a backup made with `memory-secretary memory backup`",
        "请放回用 `memory-secretary memory backup` 做的备份",
    ),
    "index_none": (
        "not built yet: nothing is to be done, the first search by meaning builds it",
        "尚未建立：无需处理，首次按语义检索时自动建立",
    ),
    "index_ok": ("sound, and up to date", "完好，且已收录全部记录"),
    "index_waiting": (
        "sound; new records that it lacks: {waiting}; nothing is to be done, the next search takes them in",
        "完好；尚未收录的新记录：{waiting}；无需处理，下次检索时自动收录",
    ),
    "index_damaged": ("damaged ({damage})", "已损坏（{damage}）"),
    "index_remake": ("remake it: memory-secretary memory reindex", "请重建：memory-secretary memory reindex"),
    "index_owned": (
        "in use by process {pid}; others search by words meanwhile",
        "正被进程 {pid} 使用；其他进程暂按词语检索",
    ),
    "index_owned_unknown": (
        "in use by another process; others search by words meanwhile",
        "正被另一个进程使用；其他进程暂按词语检索",
    ),
    "index_lacking": (
        "records without a vector: {without_vector}; words find them",
        "{without_vector} 条记录没有向量；仍可按词语找到",
    ),
    # --- models -------------------------------------------------------------------------------------------------------
    "roles": ("In use with the present settings", "按当前设置使用"),
    "of_both": ("the executor's model", "与执行者共用"),
    "which_window": (
        "A model for both is loaded with the larger of their windows. The executor uses a part of it: {own} tokens "
        "(setting executor_window), {example} with run --example.",
        "共用的模型按两者中较大的窗口加载。执行者只用其中一部分：{own} 词元（设置项 executor_window），"
        "run --example 时为 {example}。",
    ),
    "window_of": ("window {window}", "窗口 {window}"),
    "needs": ("about {shown} of memory", "约占 {shown} 内存"),
    "by_words": ("none, memory is searched by words", "无，仅按词语检索"),
    "change": (
        "Change: --executor, --secretary and --embedder of run and chat, or MEMORY_SECRETARY_EXECUTOR=ollama:NAME …",
        "修改：run 和 chat 的 --executor、--secretary、--embedder，或设置 MEMORY_SECRETARY_EXECUTOR=ollama:模型名 等",
    ),
    "embedded_models": ("Embedded models (llama.cpp)", "内置模型（llama.cpp）"),
    "ollama_models": ("Ollama at {url}", "Ollama（{url}）"),
    "openai_models": ("Server at {url} (OPENAI_BASE_URL)", "服务器 {url}（OPENAI_BASE_URL）"),
    "embedders": ("Embedders", "嵌入模型"),
    "no_models": ("no models yet: ollama pull qwen2.5:7b", "还没有模型：ollama pull qwen2.5:7b"),
    "verified": ("verified", "已校验"),
    "unverified": ("not verified", "未校验"),
    "partial": ("{here} are here", "已下载 {here}"),
    "missing": ("not fetched", "未下载"),
    "weights_folder": ("They lie in {folder}", "位于 {folder}"),
    "more": ("and {count} more (--json has them all)", "另有 {count} 个（--json 列出全部）"),
    "loaded": ("loaded", "已加载"),
    "embeds": ("embedder", "嵌入模型"),
    "fetch_hint": ("Fetch: memory-secretary models fetch {short}", "下载：memory-secretary models fetch {short}"),
    "checking": ("hashing", "正在校验"),
    "is_sound": ("{name} is the official file: {path}", "{name} 与官方文件一致：{path}"),
    "fetched": ("{name} is here and verified: {path}", "{name} 已就绪并通过校验：{path}"),
    "not_here": (
        "{name} is not on this machine; fetch it with: memory-secretary models fetch {short}",
        "本机还没有 {name}；请用 `memory-secretary models fetch {short}` 下载",
    ),
    "none_here": (
        "no weights are on this machine; fetch some with: memory-secretary models fetch",
        "本机还没有权重；请用 `memory-secretary models fetch` 下载",
    ),
}
"""By key: the English phrase and the Chinese one, with the same places for values."""
