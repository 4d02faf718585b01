"""Grades that may be times, ids, or scores below 0; and ratings, where low ones count too."""

from __future__ import annotations

import polars as pl

from lexiframe.core.io.doubts.first_looks import TIME

_LAST_TIME = 1e19
"""Nanoseconds since 1970 stay below; what is greater is a number of its own."""
_COUNT = 100.0
"""Grades that are all different up to here may be shares in percent."""
_FEW = 10
"""Fewer grades may all be different by chance."""
_LIKED = 4.0
"""The rating from which on people like an item, on the usual scale of 1 to 5."""
_DEGREES = 3


def doubts_of_grades(grades: pl.Series) -> list[str]:
    """Return doubts about grades: times, ids, or scores below 0.

    Examples
    --------
    >>> doubts_of_grades(pl.Series([1.0, 0.0, -1.0]))
    []
    >>> doubts_of_grades(pl.Series([978300760.0, 978302109.0]))
    ['all grades are 978300760 or greater, as times are; give the column of grades']
    """
    least, greatest = grades.min(), grades.max()
    if not (isinstance(least, float) and isinstance(greatest, float)):
        return []
    said = []
    if TIME <= least < _LAST_TIME:
        said.append(
            f"all grades are {least:.15g} or greater, as times are; give the column of grades"
        )
    elif greatest > _COUNT and _are_all_different(grades):
        said.append(
            f"nearly all of the {len(grades)} grades are different whole numbers (up to "
            f"{greatest:g}), as ids, times and ranks are; if they are not grades, give the column "
            "of grades"
        )
    if least < 0 and (least < -2 or (grades.filter(grades < 0) % 1 != 0).any()):
        said.append(
            f"grades go down to {least:g}, and a grade below 0 means pooled, but not judged (−1, "
            "and −2 for spam); if they are ratings or scores, negative='not relevant' takes those "
            "below 0 for judged"
        )
    return said


def _are_all_different(grades: pl.Series) -> bool:
    if len(grades) < _FEW or bool((grades != grades.round()).any()):
        return False
    return grades.n_unique() >= 0.9 * len(grades)


def ratings_in_words(grades: pl.Series) -> str:
    """Say that grades look like ratings, and that low ones count as relevant; "" otherwise.

    Ratings have no 0, which pools of judgments have, and a greatest grade of 4 or more, or of three
    times the least: with two grades alone, all may be relevant.

    Examples
    --------
    >>> ratings_in_words(pl.Series([1.0, 3.0, 5.0]))
    'no grade is 0, so that all judged documents count as relevant, those of grade 1 too; if the \
grades are ratings, rel=4 counts only those from 4 on'
    >>> ratings_in_words(pl.Series([0.0, 1.0, 4.0])), ratings_in_words(pl.Series([4.0, 5.0]))
    ('', '')
    >>> ratings_in_words(pl.Series([0.05, 0.9]))
    'no grade is 0, so that all judged documents count as relevant, those of grade 0.05 too; if \
all grades are relevant, rel=0.05 says so, and a greater one leaves out those below'
    """
    least, greatest = grades.min(), grades.max()
    if not (isinstance(least, float) and isinstance(greatest, float)):
        return ""
    if not 0 < least < _LIKED or greatest < min(_LIKED, _DEGREES * least):
        return ""
    advice = (
        f"if all grades are relevant, rel={least:g} says so, and a greater one leaves out those "
        "below"
    )
    if greatest >= _LIKED:
        advice = f"if the grades are ratings, rel={_LIKED:g} counts only those from {_LIKED:g} on"
    return (
        "no grade is 0, so that all judged documents count as relevant, those of grade "
        f"{least:g} too; {advice}"
    )
