#!/usr/bin/env python3
"""house.py - checks the order of the source tree.

    tests/house.py [--build BUILD] [--only CHECK,...] [FOLDER...]

Lists everything that breaks a rule, sorted by folder, and exits with 1 if there is anything. FOLDER limits the
list to files below it. The checks:

    folders   at most 14 folders at the top beside debian/, each of them described in docs/architecture.md
    layers    every #include is one that the list "Who may include whom" in docs/architecture.md allows
    owners    every .c file has a header of its name, or is called HEADER_part.c next to HEADER.h
    words     no banned word in code, comments, documents or messages
    lines     no line of a document is longer than 120 characters
    paths     files and folders of ours that a document names, and headings that it links to, are there
    circles   no files that call each other in a circle, by the symbols of the objects in BUILD
"""
import argparse
import collections
import os
import re
import subprocess
import sys

try:
    from re import _parser as parser
except ImportError:  # before Python 3.11
    import sre_parse as parser

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ARCHITECTURE = "docs/architecture.md"
MOST_FOLDERS = 14
LONGEST_LINE = 120

# Regular expressions, matched without regard to case unless they begin with (?-i:. A space stands for any white space,
# also for the end of a comment's line. Phrases first, then names that have been renamed.
BANNED = [
    r"\bwhoever\b",
    r"\bwhosoever\b",
    r"\bbe it\b",
    r"\bforetold\b",
    r"\bforetells?\b",
    r"\bforecasts?\b",
    r"\bis no failure\b",
    r"\bwants (?:it )?no more\b(?! than)",
    r"\bof then\b",
    r"\bthat is to say\b",
    r"(?-i:\bThe same\b)",
    r"\bthe same (?:of|for|in)\b",
    # Old names, also inside of identifiers.
    r"(?<![a-z])un-?moves?(?![a-z])",
    r"(?<![a-z])slabs?(?![a-z])",
    r"(?<![a-z])lattices?(?![a-z])",
    r"(?<![a-z])ledgers?(?![a-z])",
    r"(?<![a-z])halos?(?![a-z])",
    r"(?<![a-z])juniors?(?![a-z])",
    r"(?<![a-z])unwon(?![a-z])",
    r"(?<![a-z])scouts?(?![a-z])",
    r"(?<![a-z])shades?(?![a-z])",
    r"\brank files?\b",
    r"(?-i:\bMaze\b)",
    r"(?-i:\bFACT_MUST\b)",
    r"(?-i:\bTABLE_NEAR\b)",
    r"(?-i:\bWorks (?:\*|works\b))",
    r"(?-i:\bworks_[a-z]+\b)",
    r"(?-i:\bRanks\b)",
    r"(?-i:\bBlockedRanks\b)",
    r"(?-i:\branks_[a-z]+\()",
    r"(?-i:\b[A-Z][a-z]+(?:Room|Wish)\b)",
    r"(?-i:\bLooseRun\b)",
    r"(?-i:\bFileTold\b)",
    r"(?-i:\bSolvedSource\b)",
    r"\btable_ranks\b",
    r"\btable_solved\b",
    r"\bsolver_(?:rest|adopt|mind)\b",
    r"\bjob_forget\b",
    r"\bsettle_hurry\b",
    r"\bgen_words\b",
    r"\banswer_instead\b",
]
# Where a banned word may stand: (path prefix, pattern or None for all).
EXEMPT = [
    ("CHANGELOG.md", None),
    ("tests/data/", None),
    ("tests/house.py", None),
    ("tables/SHA256SUMS", None),
    ("tables/manifest.tsv", None),
    ("server/page/package-lock.json", None),
    ("LICENSE", None),
    # The glossary names the words of a book beside ours.
    ("docs/glossary.md", r"(?<![a-z])un-?moves?(?![a-z])"),
    ("docs/glossary.md", r"(?<![a-z])juniors?(?![a-z])"),
]


def tracked():
    """All files of the project that git knows and that are there."""
    out = subprocess.run(["git", "ls-files"], cwd=TOP, capture_output=True, text=True, check=True).stdout
    return [f for f in out.splitlines() if os.path.isfile(os.path.join(TOP, f))]


def read(path):
    """The text of a file, or None if it is not text."""
    try:
        with open(os.path.join(TOP, path), encoding="utf-8") as file:
            return file.read()
    except (UnicodeDecodeError, FileNotFoundError):
        return None


def allowed_includes():
    """The list in docs/architecture.md: folder -> folders and headers it may include from."""
    rows = re.findall(r"^    ([a-z0-9/-]+):(.*)$", read(ARCHITECTURE), re.M)
    return {folder: others.split() for folder, others in rows}


def check_folders(files):
    tops = sorted({f.split("/")[0] for f in files if "/" in f} - {"debian"})
    tops = [t for t in tops if not t.startswith(".")]
    if len(tops) > MOST_FOLDERS:
        yield "", f"{len(tops)} folders at the top, more than {MOST_FOLDERS}: {' '.join(tops)}"
    text = read(ARCHITECTURE)
    for top in tops:
        if not re.search(rf"`{re.escape(top)}/", text):
            yield top, f"{ARCHITECTURE} does not describe the folder `{top}/`"


def check_layers(files):
    allowed = allowed_includes()
    if len(allowed) < 5:
        yield ARCHITECTURE, "there is no list of folders under 'Who may include whom'"
        return

    def room(path):
        """The longest folder with a line of its own that a path lies in."""
        folder = os.path.dirname(path)
        while folder not in allowed and "/" in folder:
            folder = os.path.dirname(folder)
        return folder

    for file in files:
        if not file.endswith((".c", ".h")) or file.startswith("tests/"):
            continue
        source = room(file)
        for number, line in enumerate(read(file).splitlines(), 1):
            found = re.match(r'\s*#\s*include "(.*)"', line)
            if not found:
                continue
            header = found[1]
            target = (
                "include"
                if header in ("trebuchet.h", "trebuchet-http.h")
                else room(header)
                if "/" in header
                else source
            )
            may = [source] + allowed.get(source, [])
            if target not in may and target.split("/")[0] not in may and header not in may:
                yield file, f"{number}: includes {header}: {source} may include from: {' '.join(may)}"


def check_owners(files):
    known = set(files)
    for file in files:
        if not file.endswith(".c") or file.startswith("tests/"):
            continue
        folder, name = os.path.split(file[:-2])
        if name == "main" or (folder == "cli" and name.startswith("cmd_")):
            continue
        parts = name.split("_")
        if not any(f"{folder}/{'_'.join(parts[:n])}.h" in known for n in range(1, len(parts) + 1)):
            yield file, f"there is neither {name}.h nor a header that this is a part of (HEADER_part.c)"


def flatten(text):
    """The text with each run of white space, and a comment's leader at the start of a line, as one space; and the line of each character."""
    out, lines, number = [], [], 1
    for line in text.split("\n"):
        plain = re.sub(r"^\s*(?:\*(?!/)|//|#(?!include|define|if|endif|else)|--)?\s*", "", line)
        plain = re.sub(r"\s+", " ", plain).rstrip() + " "
        out.append(plain)
        lines.extend([number] * len(plain))
        number += 1
    return "".join(out), lines


def letters_of(pattern):
    """Strings of small letters, one of which is in every text that a pattern matches, but for capitals."""

    def choices(tree):
        """The best such list of a parsed pattern: that whose shortest string is the longest."""
        best, run = [""], ""
        for kind, value in [*tree, (None, None)]:
            if kind is parser.LITERAL and chr(value) != " ":
                run += chr(value)
                continue
            found = [[run]]
            run = ""
            if kind is parser.SUBPATTERN:
                found.append(choices(value[-1]))
            elif kind is parser.BRANCH:
                found.append([text for part in value[1] for text in choices(part)])
            best = max([best, *found], key=lambda texts: min(map(len, texts)))
        return best

    return choices(parser.parse(pattern.lower()))


def check_words(files):
    banned = [(p, re.compile(p.replace(" ", r"\s+"), re.I), letters_of(p)) for p in BANNED]
    for file in files:
        text = None
        if not any(file.startswith(prefix) and pattern is None for prefix, pattern in EXEMPT):
            text = read(file)
        if text is None:
            continue
        # Looking for letters is a hundred times as fast as looking for patterns.
        small = text.lower()
        likely = [(p, compiled) for p, compiled, letters in banned if any(run in small for run in letters)]
        if not likely:
            continue
        flat, lines = flatten(text)
        spared = [pattern for prefix, pattern in EXEMPT if file.startswith(prefix)]
        for pattern, compiled in likely:
            if pattern in spared:
                continue
            for found in compiled.finditer(flat):
                around = flat[max(0, found.start() - 30) : found.end() + 30].strip()
                yield file, f"{lines[found.start()]}: '{found[0]}' in: {around}"


def check_lines(files):
    for file in files:
        if not file.endswith(".md"):
            continue
        for number, line in enumerate(read(file).splitlines(), 1):
            if len(line) > LONGEST_LINE:
                yield file, f"{number}: {len(line)} characters: {line[:60]}"


def anchors_of(document):
    """The names by which a document's headings are linked to."""
    headings = re.findall(r"^#+ (.*)$", read(document), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def check_paths(files):
    folders = {file[:at] for file in files for at in range(len(file)) if file[at] == "/"}
    top = "|".join(sorted(re.escape(folder) for folder in folders if "/" not in folder and folder != "tables"))
    named = re.compile(rf"`((?:{top})/[\w./-]*)`")
    for file in files:
        if not file.endswith(".md"):
            continue
        text = read(file)
        for path in named.findall(text):
            near = os.path.join(os.path.dirname(file), path)
            if path not in files and near not in files and path.rstrip("/") not in folders:
                yield file, f"there is no {path}"
        for path, anchor in re.findall(r"\]\(([^)#\s:]*)(?:#([^)\s]+))?\)", text):
            target = os.path.normpath(os.path.join(os.path.dirname(file), path)) if path else file
            if target not in files and target not in folders:
                yield file, f"links to {target}, which is not there"
            elif anchor and anchor not in anchors_of(target):
                yield file, f"links to {target}#{anchor}, which is not there"


def calls_between(build, files):
    """For each object of the build, the objects that it calls: source -> {source: [symbol]}."""
    known = set(files)
    objects = []
    for folder, below, names in os.walk(build):
        below[:] = [b for b in below if os.path.relpath(os.path.join(folder, b), build) not in ("tests", "deb", "page")]
        for name in names:
            path = os.path.join(folder, name)
            source = os.path.relpath(path, build)[:-2]
            # Builds of one source for several kinds of processor count once. An old object has no source any more.
            if name.endswith(".o") and "/" in source and not re.search(r"_avx", name):
                if source + ".c" in known or re.search(r"_portable$", source):
                    objects.append((path, source))
    defined, needs = {}, collections.defaultdict(set)
    out = subprocess.run(
        ["nm", "-A"] + [path for path, _ in objects], capture_output=True, text=True, check=True
    ).stdout
    source_of = dict(objects)
    for line in out.splitlines():
        path, rest = line.split(":", 1)
        kind, symbol = rest.split()[-2:]
        if kind == "U":
            needs[source_of[path]].add(symbol)
        elif kind in "TDBRC":
            defined[symbol] = source_of[path]
    graph = {source: collections.defaultdict(list) for source in source_of.values()}
    for source, symbols in needs.items():
        for symbol in sorted(symbols):
            target = defined.get(symbol)
            if target and target != source:
                graph[source][target].append(symbol)
    return graph


def circles_of(graph):
    """The strongly connected parts of more than one node, by Tarjan's method."""
    index, low, stack, on, found = {}, {}, [], set(), []
    sys.setrecursionlimit(10000)

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        on.add(node)
        for other in graph[node]:
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in on:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            part = []
            while not part or part[-1] != node:
                part.append(stack.pop())
                on.discard(part[-1])
            if len(part) > 1:
                found.append(sorted(part))

    for node in graph:
        if node not in index:
            visit(node)
    return found


def check_circles(files, build):
    graph = calls_between(build, files)
    if len(graph) < 100:
        yield "", f"only {len(graph)} objects in {build}"
    for part in circles_of(graph):
        for source in part:
            for target in sorted(graph[source]):
                if target in part:
                    yield source + ".c", f"in a circle of {len(part)} files: calls {target}.c: {' '.join(graph[source][target][:6])}"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", help="a folder with the objects of a build, for the check of circles")
    options.add_argument("--only", help="checks to run, separated by commas")
    options.add_argument("folders", nargs="*", metavar="FOLDER")
    given = options.parse_args()
    files = tracked()
    checks = {
        "folders": check_folders,
        "layers": check_layers,
        "owners": check_owners,
        "words": check_words,
        "lines": check_lines,
        "paths": check_paths,
    }
    if given.build:
        checks["circles"] = lambda f: check_circles(f, given.build)
    total = 0
    for name, check in checks.items():
        if given.only and name not in given.only.split(","):
            continue
        found = sorted(
            f
            for f in check(files)
            if not given.folders or f[0] == "" or any(f[0].startswith(folder) for folder in given.folders)
        )
        total += len(found)
        print(f"== {name}: {len(found)}")
        folder = None
        for file, text in found:
            if os.path.dirname(file) != folder:
                folder = os.path.dirname(file)
                print(f"-- {folder or 'top'}")
            print(f"{file}:{text}" if text[0].isdigit() else f"{file}: {text}")
    print(f"{total} faults")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
