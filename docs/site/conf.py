"""How Sphinx builds the site; scripts/docs runs it over the pages that stage.py lays out."""

import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parents[1]
sys.path.insert(0, str(HERE))

project = "tacet"
author = "the authors of tacet"
copyright = "the authors of tacet, Apache License 2.0"
release = re.search(
    r'^version = "([^"]+)"', (TREE / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE
)[1]
version = release

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "breathe",
    "sphinx_design",
    "mathml",
]
root_doc = "index"
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_dmath_allow_space = False
myst_dmath_double_inline = True
myst_heading_anchors = 4
myst_url_schemes = {
    "http": None,
    "https": None,
    "mailto": None,
    "url": "{{path}}#{{fragment}}",
}  # stage.py: a line of a source file
# Sections of included pages may begin at level three; comparisons of many classes have one name.
suppress_warnings = ["myst.header", "duplicate_declaration.cpp"]

autosummary_generate = True
templates_path = [str(HERE / "templates")]  # classes without partial_fit, which estimators refuse
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say types in words
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

breathe_projects = {"tacet": os.environ.get("TACET_DOXYGEN_XML", "")}
breathe_default_project = "tacet"
highlight_language = "text"

html_theme = "pydata_sphinx_theme"
html_title = f"tacet {release}"
html_static_path = [str(HERE / "static")]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_math_renderer = "mathml"
html_theme_options = {
    "logo": {"text": "tacet"},
    "navbar_align": "left",
    "navigation_with_keys": False,
    "show_nav_level": 1,
    "navigation_depth": 2,
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
html_context = {"default_mode": "auto"}
