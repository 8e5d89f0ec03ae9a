"""Words that distinguish a name from a look-alike: endings, folders, prefixes."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NO_TICKETS = _words(
    """
    aes bs cobol covid cp din en es eu fips gmt gpt h1 h2 http https iec ieee ipv iso md mp
    pep pkcs q1 q2 q3 q4 rfc rsa sha ssl tls us usb utc utf
    """
)
"""Prefixes of standards, versions and quarters, written like tickets."""

NO_OWNERS = _words(
    """
    and application audio bugfix chore feat feature features fix font heads hotfix image
    message model multipart n or origin refs release releases tags text upstream video w
    """
)
"""First parts of media types, branches and alternatives, written like repositories."""

ROOTS = _words(
    """
    app bin boot dev etc home lib media mnt opt private proc root run sbin srv sys tmp users
    usr var volumes workspace workspaces
    """
)
"""The first folders of absolute paths."""

FOLDERS = _words("src pkg cmd internal node_modules site-packages vendor .github")
"""First folders of a path. No prose offers the folders as alternatives."""

FOLDERS_OF_FOLDERS = _words(
    """
    app apps bin clients config docs examples functions infra layers lib libs migrations
    packages public scripts services static templates test tests tools
    """
)
"""First folders of a path of three parts or more; `docs/tests` may be an alternative."""

DOMAIN_ENDS = _words("ai app cloud co com de dev edu gov io net org uk")
"""Ends of host names, in front of a path or behind an `@`."""

FILE_EXTENSIONS = _words(
    """
    bash cfg conf cpp css csv docx go gz hpp html ini ipynb java jpg json jsonl jsx kt md
    pdf php png pptx proto py pyi rb rs rst scss sh sql svg tf tfvars toml ts tsv tsx txt
    xlsx xml yaml yml zip
    """
)
"""Extensions of files without a folder. `Node.js` and `console.log` are no files."""

PARTICLES = _words("a am an and da de del der for im in la le of on the to und van von zum zur")
"""Words in lower case inside a name."""

SAID_ALONE = _words(
    """
    done error failed false fixed hello hi none null success thanks todo true warning
    """
)
"""Quoted answers and states."""

NO_SYMBOLS = _words(
    """
    bool char class const def double else false float for function if import int let long
    nan nil none null number return self static str string this true type undefined var void
    while yes
    """
)
"""Keywords and values of programming languages."""

NO_PEOPLE = _words(
    """
    all app channel classmethod dataclass deprecated everyone here import media override
    param property pytest return returns staticmethod team test throws
    """
)
"""Decorators and groups, written like handles."""

OF_REPOSITORIES = _words("clone fork github gitlab repo repos repositories repository")
"""Words beside which `owner/name` is a repository."""

OF_TICKETS = _words(
    """
    bug bugs incident issue issues mr pr prs pull repo repository request requests task
    ticket tickets
    """
)
"""Words before the number of a ticket, such as `#12`."""
