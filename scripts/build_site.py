"""Builds the static page for any web space (`make site`): Playground and Compare without a server."""

import sys
from argparse import ArgumentParser
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from server.exports import site  # noqa: E402
from tokenizer.errors import TokenizerError  # noqa: E402


def main(arguments: list[str] | None = None) -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "site", help="where to write it")
    parser.add_argument("--also", nargs="+", default=[], metavar="KEY", help="further encodings, such as qwen3.5")
    options = parser.parse_args(arguments)
    try:
        sizes = site.build(options.folder, options.also)
    except (ValueError, TokenizerError) as error:
        parser.error(str(error))
    first = site.first_screen(sizes)
    print(f"{options.folder}: {len(sizes)} files, {sum(sizes.values()):,} bytes; the first screen loads {first:,}")


if __name__ == "__main__":
    main()
