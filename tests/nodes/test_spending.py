from memory_secretary.nodes.options import Options
from memory_secretary.nodes.spending import Allowance, Tally, allowance, charged
from memory_secretary.nodes.state import Figures, no_figures


def test_what_was_spent_is_taken_off_what_is_left():
    options = Options(secretary_calls=5, secretary_tokens=1_000)
    spent = charged(no_figures(), Tally(calls=2, unreachable=1, prompt_tokens=300, reply_tokens=50))
    assert (spent["secretary_calls"], spent["secretary_unreachable"], spent["secretary_tokens"]) == (2, 1, 350)
    assert spent["secretary_reply_tokens"] == 50
    assert allowance(options, spent) == Allowance(3, 650)
    assert charged(spent, Tally()) == spent


def test_a_server_that_failed_twice_is_given_up():
    assert allowance(Options(), Figures(**{**no_figures(), "secretary_unreachable": 2})) == Allowance(0, 0)
