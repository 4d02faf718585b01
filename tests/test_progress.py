"""Progress: on standard error, for what takes long, and gone when it is done."""

from itertools import count

from lexiframe.progress import progress


def test_what_takes_long_shows_a_bar_and_clears_it(monkeypatch, capsys):
    """A clock that runs a second and a half between looks at it."""
    ticks = count(0, 1.5)
    monkeypatch.setattr("tqdm.std.time", lambda: next(ticks))
    assert list(progress(iter("abcde"), 5, "reading runs")) == list("abcde")
    out, err = capsys.readouterr()
    assert out == ""
    assert "reading runs" in err
    assert "3/5" in err
    assert err.endswith(" \r")


def test_what_is_quick_shows_nothing(capsys):
    assert list(progress(range(1000), 1000, "reading runs")) == list(range(1000))
    assert capsys.readouterr() == ("", "")
