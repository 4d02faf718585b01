"""What is wrong with a built site: links that lead nowhere, names that are missing, networks."""

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from reference_pages import MODULES, names_of, place_of, rooms_for_users

import lexiframe as lf
from lexiframe.core.base.face import user_names

LOADING = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}
"""The attributes that make a browser load something, by element."""


class Page(HTMLParser):
    """The ids of a page, what it links to, and what a browser loads with it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Keep what one element says."""
        of = {name: value for name, value in attributes if value}
        self.ids |= {of[name] for name in ("id", "name") if name in of and tag != "meta"}
        if tag == "a" and "href" in of:
            self.links.add(of["href"])
        if tag in LOADING and LOADING[tag] in of and of.get("rel") != "canonical":
            self.loads.add(of[LOADING[tag]])


def problems(site: Path) -> list[str]:
    """Return what is wrong with a site, a line each."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    every = set().union(*(page.ids for page in pages.values()))
    missing = [f"the reference lacks {name}" for name in public_names() if name not in every]
    return [*missing, *_dead_links(site, pages), *_from_networks(site, pages)]


def public_names() -> list[str]:
    """Return the names that the reference must have, with their modules."""
    whole = {"spark", "theory", "views", *(place_of(room)[10:] for room in rooms_for_users())}
    names = [f"lexiframe.{name}" for name in lf.__all__ if name not in whole]
    modules = {place_of(one): names_of(one) for one in MODULES.values()}
    modules |= {place_of(room): user_names(room) for room in rooms_for_users()}
    return [*names, *(f"{place}.{name}" for place, of in modules.items() for name in of)]


def _dead_links(site: Path, pages: dict[Path, Page]) -> Iterator[str]:
    for path, page in pages.items():
        for link in sorted(page.links | page.loads):
            address = urlsplit(link)
            if address.scheme or address.netloc:
                continue
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            target = target / "index.html" if target.is_dir() else target
            anchor = unquote(address.fragment)
            there = target.exists() and (
                not anchor or target not in pages or anchor in pages[target].ids
            )
            if not there:
                yield f"{path.relative_to(site)}: a link leads nowhere: {link}"


def _from_networks(site: Path, pages: dict[Path, Page]) -> Iterator[str]:
    for path, page in pages.items():
        for address in sorted(page.loads):
            if urlsplit(address).netloc:
                yield f"{path.relative_to(site)}: loads from a network: {address}"
    for path in sorted(site.rglob("*.css")):
        text = path.read_text(encoding="utf-8")
        if "@import" in text or "url(http" in text or "url(//" in text:
            yield f"{path.relative_to(site)}: may load from a network"
