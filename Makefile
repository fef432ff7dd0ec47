PYTHON ?= python3
SIDE_BY_SIDE = --numprocesses 2 --dist loadgroup

.PHONY: help setup test check demo bench bench-check docs notebooks studio
.DEFAULT_GOAL := help

help:  ## show these targets | 列出这些目标
	@case "$${MEMORY_SECRETARY_LANG:-$${LC_ALL:-$${LC_MESSAGES:-$$LANG}}}" in zh*) n=2 ;; *) n=1 ;; esac; \
	grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | \
	awk -F ':.*## ' -v n=$$n '{split($$2, said, " [|] "); printf "  make %-12s %s\n", $$1, said[n]}'

setup:  ## install everything that development needs into .venv | 把开发所需的一切装进 .venv
	@$(PYTHON) bootstrap.py setup

test: setup  ## run all tests, those with a real model too | 运行全部测试，包括用真实模型的
	@.venv/bin/pytest $(SIDE_BY_SIDE)

check: setup  ## run the linter, the formatter's check, the type checker and the tests without a real model | 运行代码检查、格式检查、类型检查，以及不用真实模型的测试
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .
	@.venv/bin/mypy --strict
	@.venv/bin/pytest $(SIDE_BY_SIDE) -m "not model and not slow"

demo:  ## solve the example task with the embedded model, showing every step | 用内置模型完成示例任务，显示每一步
	@$(PYTHON) bootstrap.py run --example

bench: setup  ## measure the example variants with and without the secretary (resumes where it stopped) | 测量示例各变体在有无秘书时的表现（从中断处继续）
	@.venv/bin/python benchmarks/onoff.py

bench-check: setup  ## hold a fixed part of the benchmarks against wide bounds (minutes, no chat model) | 把基准测试的固定部分与宽松的界限对照（几分钟，不用对话模型）
	@.venv/bin/python benchmarks/check.py

docs: setup  ## fill the generated parts of README and docs in: picture, settings, figures, sizes, faults | 填写 README 和文档中自动生成的部分：图、设置、数字、大小、故障
	@.venv/bin/python docs/generate.py

notebooks: setup  ## run the notebooks and store their outputs (some minutes with the embedded model) | 运行笔记本并存入输出（用内置模型需几分钟）
	@.venv/bin/python notebooks/execute.py

studio: setup  ## serve the graphs for LangGraph Studio on http://127.0.0.1:2024 | 在 http://127.0.0.1:2024 上供 LangGraph Studio 使用
	@LANGGRAPH_CLI_NO_ANALYTICS=1 .venv/bin/langgraph dev --no-browser
