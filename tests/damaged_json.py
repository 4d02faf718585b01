"""Files of JSON with a checksum, damaged in all ways: for tests of what reads them."""

import copy
import json

from lexiframe.core.io.files.kept_json import CHECKSUM, text_with_checksum

OTHERS = (None, True, False, 0, -1, 1.5, 1e308, 10**400, "", "x", [], [[]], {}, {"x": 1})
"""A value of each type of JSON, and odd ones."""


def edited(text, *, sealed):
    """Yield the text without each of its keys, and with each value replaced by others.

    Those that are ``sealed`` have the checksum of what they then say.
    """
    contents = json.loads(text)
    for path in [*paths(contents)]:
        for other in (..., *OTHERS):
            changed = copy.deepcopy(contents)
            *above, last = path
            place = changed
            for name in above:
                place = place[name]
            if other is ...:
                del place[last]
            elif json.dumps(place[last]) == json.dumps(other):
                continue
            else:
                place[last] = other
            if not sealed:
                yield json.dumps(changed)
            elif path != (CHECKSUM,):
                yield text_with_checksum({k: v for k, v in changed.items() if k != CHECKSUM})
    yield from ("", "null", "[]", "1", "{}", '"x"', "NaN", "[" * 5000, '{"a":' * 5000)


def paths(value, above=()):
    """The keys that lead to each value in a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for name, inner in items if isinstance(value, dict | list) else ():
        yield (*above, name)
        if isinstance(inner, dict | list):
            yield from paths(inner, (*above, name))


def broken(data, every=1):
    """Yield bytes with a bit flipped in every so manieth place, and cut there, and more behind."""
    for at in range(0, len(data), every):
        yield data[:at] + bytes([data[at] ^ (1 << at % 8)]) + data[at + 1 :]
        yield data[:at]
    yield from (data + b"x", data + data, b"\xef\xbb\xbf" + data, data + b"\0", b"PAR1" + data)
