# SPDX-License-Identifier: MIT
"""The manual site: every page of the repository, made by Sphinx and MyST. `make manual` copies
the tracked files to a folder of its own first, where links to sources work as well."""

import os

from pygments.lexers.special import TextLexer
from sphinx.highlighting import lexers

project = "Ouroboros"
copyright = "The Ouroboros maintainers"
version = release = os.environ["VERSION"]

extensions = ["myst_parser"]
root_doc = "README"
source_suffix = {".md": "markdown"}
exclude_patterns = ["packaging/**"]
myst_heading_anchors = 4  # links such as checker.md#gc-t01 are checked

html_theme = "furo"
html_title = "Ouroboros " + version
html_static_path = ["_static"]
html_css_files = ["manual.css"]
html_copy_source = False
html_show_sphinx = False
highlight_language = "none"
# GitHub draws what is written in Mermaid. Here it is text: a script from another server would have to
# draw it, and the manual needs none.
lexers["mermaid"] = TextLexer()
