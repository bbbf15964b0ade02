"""Pages whose parts are written by several programs: each part lies between marks of its own."""


def put(path, part, text):
    """Puts a part into a page in place of what was there, or at its end."""
    begin, end = f"<!-- {part}: written by a program -->", f"<!-- end of {part} -->"
    page = path.read_text() if path.exists() else ""
    block = f"{begin}\n{text.strip()}\n{end}\n"
    if begin in page and end in page:
        before, rest = page.split(begin, 1)
        page = before + block + rest.split(end, 1)[1].lstrip("\n")
    else:
        page = (page.rstrip("\n") + "\n\n" if page else "") + block
    path.write_text(page)
