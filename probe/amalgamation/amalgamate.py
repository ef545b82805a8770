#!/usr/bin/env python3
"""amalgamate.py - makes two files of the library's sources.

    amalgamate.py FOLDER SOURCE...

Writes FOLDER/trebuchet.c and FOLDER/trebuchet.h. The first has all that the public functions need:
the headers of the sources where they are first included, then the sources. What only the command
calls is left out. Everything that is not public becomes static, so that a program may have names of
its own. Sources are in the style of .clang-format, which this program relies on: what begins at the
left margin is a declaration, and ends in a line with `;` or the line `}`.
"""
import argparse
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BEGIN = "probe/amalgamation/begin.h"
# Public headers: programs include them, and so does trebuchet.c.
PUBLIC = ("trebuchet.h", "trebuchet-http.h")
WORD = re.compile(r"[A-Za-z_]\w*")


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def plain(text):
    """The text without comments and without the content of strings and characters."""
    return re.sub(
        r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'',
        lambda found: " " if found[0][0] == "/" else '""',
        text,
        flags=re.S,
    )


class Item:
    """A declaration, a definition, a directive or a comment, with the comment in front of it."""

    def __init__(self, path, comment, text):
        self.path, self.comment, self.text = path, comment, text
        self.code = plain(text)
        self.words = set(WORD.findall(self.code))
        self.kind, self.name = self.classify()

    def classify(self):
        code = self.code.strip()
        if code == "":
            return "comment", None
        if code.startswith("#"):
            return "directive", None
        if re.match(r"(typedef|static_assert)\b", code) or re.match(r"(struct|enum|union)\s*\w*\s*[{;]", code):
            return "type", None
        head = re.sub(r"\b_Atomic\([^)]*\)|__attribute__\(\(.*?\)\)", "", code)
        found = re.match(r"[^={;]*?(\w+)\s*\(", head)
        if found:
            return ("function" if code.endswith("}") else "prototype"), found[1]
        found = re.match(r"[^=;]*?(\w+)\s*(\[|=|;)", head)
        if not found:
            sys.exit(f"{self.path}: what is this? {self.text}")
        # A function that is declared by its type: `static PrefetchProbe call_list;`.
        return "variable", found[1]

    @property
    def dropped(self):
        """Whether it is not written if nobody needs its name."""
        return self.kind in ("function", "prototype", "variable")


def split(path, text):
    """The items of a file. A blank line becomes None."""
    items, comment, lines, depth, inside = [], [], [], 0, False
    for line in text.split("\n"):
        if not lines and not inside and line == "":
            if comment:
                items.append(Item(path, "", "\n".join(comment)))
                comment = []
            items.append(None)
            continue
        if not lines and (inside or line.startswith("/*")):
            comment.append(line)
            inside = "*/" not in line
            continue
        lines.append(line)
        code = plain("\n".join(lines))
        if lines[0].startswith("#"):
            if line.endswith("\\"):
                continue
        elif "/*" in code or code.count("{") != code.count("}") or not code.rstrip().endswith((";", "}")):
            continue
        items.append(Item(path, "\n".join(comment), "\n".join(lines)))
        comment, lines = [], []
    if lines or comment:
        sys.exit(f"{path}: the end is missing of: {(comment + lines)[0]}")
    return items


def without_guard(path, text):
    """A header without its include guard."""
    found = re.search(r"^#ifndef (TREB_\w+_H)\n#define \1\n(.*)\n#endif\s*$", text, re.M | re.S)
    if not found:
        sys.exit(f"{path}: has no include guard")
    return text[: found.start()] + found[2] + "\n"


class Amalgamation:
    def __init__(self, sources):
        self.items, self.system, self.done = [], set(), set()
        for path in sources:
            self.add(path)
        self.check_names()
        self.place_variables()
        self.find_needed()

    def add(self, path):
        """Adds a file, and in front of it the headers that it is the first to include."""
        if path in self.done:
            return
        self.done.add(path)
        text = read(path)
        if path.endswith(".h"):
            text = without_guard(path, text)
        # Which parts of the system are wanted is said once, at the beginning.
        text = re.sub(r"^#ifndef (_\w+_SOURCE)\n#define \1.*\n#endif\n", "", text, flags=re.M)
        text = re.sub(r"^#define (_\w+_SOURCE|_FILE_OFFSET_BITS)\b.*\n", "", text, flags=re.M)
        own, depth = [], 0
        for item in split(path, text):
            if item is None or item.kind != "directive":
                own.append(item)
                continue
            depth += len(re.findall(r"^#\s*if", item.text)) - len(re.findall(r"^#\s*endif", item.text))
            header = re.match(r'#\s*include "(.*)"', item.text)
            system = re.match(r"#\s*include <(.*)>", item.text)
            if header and header[1] not in PUBLIC:
                if depth > 0 and header[1] not in self.done:
                    sys.exit(f"{path}: includes {header[1]} for some builds only")
                self.add(header[1])
            elif system and depth == 0:
                self.system.add(system[1])
            elif not header or header[1] != "trebuchet.h":
                own.append(item)
        self.items += own

    def named(self, *kinds):
        return (item for item in self.items if item is not None and item.kind in kinds)

    def check_names(self):
        """No two files may give one name to different things, but for the files of two systems."""
        owners = {}
        for item in self.named("function", "variable"):
            system = "_windows." in item.path
            first = owners.setdefault((item.name, system), item.path)
            if first != item.path and item.path.endswith(".c") and first.endswith(".c"):
                sys.exit(f"{item.path} and {first} both have {item.name}: one of them needs another name")

    def place_variables(self):
        """A variable that files share is defined where its header declares it."""
        declared = {item.name: item for item in self.named("variable") if item.text.startswith("extern ")}
        for item in list(self.named("variable")):
            if item.name in declared and item is not declared[item.name]:
                declared[item.name].text = "static " + item.text
                declared[item.name].words = item.words
                self.items.remove(item)

    def find_needed(self):
        """What the public functions need, directly or not. Types and macros are all taken."""
        users = {}
        for item in self.named("function", "variable"):
            users.setdefault(item.name, set()).update(item.words)
        needed = {item.name for item in self.named("function") if item.name.startswith("treb_")}
        for item in self.named("directive", "type"):
            needed |= item.words & users.keys()
        new = list(needed)
        while new:
            more = (users.get(new.pop(), set()) & users.keys()) - needed
            needed |= more
            new += more
        self.needed = needed

    def write(self):
        """The text, item by item. A comment stays if anything of the lines below it stays."""
        out, waiting, path = [], "", None
        for item in self.items:
            if item is None:
                waiting = ""
                out.append("")
                continue
            if item.path != path:
                path = item.path
                out.append("\n/* " + f" {path} ".center(92, "=") + " */\n")
            if item.comment:
                waiting = item.comment
            if item.dropped and item.name not in self.needed:
                continue
            if waiting:
                out.append(waiting)
                waiting = ""
            hidden = item.kind == "prototype" and not item.text.startswith("static ")
            out.append(("static " if hidden else "") + item.text)
        return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).strip("\n") + "\n"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", metavar="FOLDER")
    options.add_argument("sources", nargs="+", metavar="SOURCE")
    given = options.parse_args()
    # What is of the system comes last: its headers may define macros of any name.
    sources = sorted(given.sources, key=lambda path: path.startswith("core/system/"))
    made = Amalgamation(sources)
    version = re.search(r'#define TREB_VERSION "(.*)"', read("include/trebuchet.h"))[1]
    licence = "".join(f" * {line}".rstrip() + "\n" for line in read("LICENSE").strip().split("\n"))
    text = made.write()
    includes = "".join(f"#include <{name}>\n" for name in sorted(made.system - {"stdatomic.h"}))
    begin = read(BEGIN).replace("@VERSION@", version).replace("@LICENCE@\n", licence)
    os.makedirs(given.folder, exist_ok=True)
    for name, content in (
        ("trebuchet.c", begin.replace("@INCLUDES@\n", includes) + text),
        ("trebuchet.h", read("include/trebuchet.h")),
    ):
        with open(os.path.join(given.folder, name), "w", encoding="utf-8") as file:
            file.write(content)


if __name__ == "__main__":
    main()
