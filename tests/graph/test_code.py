"""Clients' own source, read as uses: what is called, which fields are touched, what is sent, what is not seen."""

from __future__ import annotations

import textwrap
from functools import cache
from pathlib import Path

import apply
import pytest

from guardian.fieldpath import write, write_sent
from guardian.graph.consumers.code.scan import scan_code
from guardian.graph.consumers.manifest import load_manifest
from guardian.graph.consumers.write import to_yaml
from guardian.graph.uses import Consumer, Found, Use
from guardian.spec.api import Api
from guardian.spec.normalise import read_api
from guardian.spec.refs import Documents
from guardian.spec.text import load
from guardian.spec.trees import DirectoryTree, MemoryTree
from tests.graph.worlds import api, hit, trace

pytest.importorskip("tree_sitter_typescript", reason="needs the scan extra")

CLIENTS = apply.HERE / "clients"
SPEC = """
    /users:
      get:
        operationId: listUsers
        parameters: [{name: page, in: query, schema: {type: integer}}]
        responses: {'200': {description: '', content: {application/json: {schema: {
          type: object, properties: {items: {type: array, items: &user {
            type: object, properties: {
              id: {type: string}, email: {type: string}, displayName: {type: string}, length: {type: integer},
              address: {type: object, properties: {city: {type: string}, country: {type: string}}},
              roles: {type: array, items: {type: object, properties: {name: {type: string}}}},
              labels: {type: object, additionalProperties: {type: string}}}}},
            total: {type: integer}}}}}}}
      post:
        operationId: createUser
        requestBody: {content: {application/json: {schema: {type: object}}}}
        responses: {'201': {description: '', content: {application/json: {schema: *user}}}}
    /users/{id}:
      get:
        operationId: getUserById
        parameters: [{name: expand, in: query, schema: {type: string}}, {name: Accept-Language, in: header, schema: {}}]
        responses: {'200': {description: '', content: {application/json: {schema: *user}}}}
"""
SERVERS = "- url: https://users.test/api"


@cache
def company() -> dict[str, Api]:
    """The specifications of the fixture company."""
    documents = Documents(DirectoryTree(apply.COMPANY))
    config = load((apply.COMPANY / "guardian.yaml").read_bytes(), "guardian.yaml")
    return {name: read_api(documents, each["spec"], name) for name, each in config["services"].items()}


@cache
def users() -> Api:
    return api("users", SPEC, servers=SERVERS)


def scan(**files: str) -> Found:
    """What some files call; ``a_py`` is the file a.py."""
    tree = MemoryTree({name.replace("_", "."): textwrap.dedent(text).encode() for name, text in files.items()})
    return scan_code(tree, {"users": users()}, consumer="me")


def uses(found: Found) -> list[Use]:
    return [use for each in found.consumers for use in each.uses]


def reads(found: Found) -> dict[str, list[str]]:
    """Operation -> what is read of it."""
    said: dict[str, set[str]] = {}
    for use in uses(found):
        said.setdefault(use.operation or "", set()).update(write(field.path) for field in use.reads or ())
    return {operation: sorted(fields) for operation, fields in said.items()}


def sends(found: Found) -> list[str] | None:
    """What the one use that is found sends."""
    (use,) = uses(found)
    return None if use.sends is None else sorted(write_sent(field.path) for field in use.sends)


# --- realistic clients ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("folder", "consumer"),
    [
        ("python/billing", "billing"),
        ("python/shipping", "shipping"),
        ("typescript/web-storefront", "web-storefront"),
        ("typescript/mobile-app", "mobile-app"),
    ],
)
def test_a_scan_says_what_the_manifest_says(folder: str, consumer: str) -> None:
    """For every operation that a client calls, what is found is what its people wrote down by hand."""
    file = apply.COMPANY / "consumers" / f"{consumer}.yaml"
    manifest = load_manifest(load(file.read_bytes(), "m.yaml"), "m.yaml", lambda pointer: None)
    declared = {(use.service, use.operation): use for use in manifest.uses}
    found = scan_code(DirectoryTree(CLIENTS / folder), company(), consumer=consumer)
    scanned = uses(found)
    assert len({(use.service, use.operation) for use in scanned}) == len(scanned) >= 3
    for use in scanned:
        by_hand = declared[use.service, use.operation]
        assert [write(each.path) for each in use.reads or ()] == sorted(
            write(each.path) for each in by_hand.reads or ()
        )
        assert not use.partial
        # What a token permits is not in the code; that one is sent is.
        assert {write_sent(each.path) for each in use.sends or ()} - {"header:Authorization"} == {
            write_sent(each.path) for each in by_hand.sends or () if each.path.place != "scope"
        }
    assert found.notes == ()


def test_every_read_has_its_line() -> None:
    """A field stands where it is read, not where its reply came from; the use stands at the call."""
    found = scan(
        a_py="""
        import requests
        def name(id):
            user = requests.get(f"https://users.test/api/users/{id}").json()
            return (
                user["displayName"],
                user["address"]["city"],
            )
        """
    )
    (use,) = uses(found)
    assert (use.confidence, use.tool, use.origin.file, use.origin.line) == ("declared", "code", "a.py", 4)
    assert {write(each.path): each.origin.line for each in use.reads or ()} == {"displayName": 6, "address.city": 7}


# --- what is followed -----------------------------------------------------------------------------------------------

PYTHON = {
    "keys": 'data = requests.get(U + "/users/1").json()\nprint(data["id"], data.get("email", ""))',
    "f-string": 'print(requests.get(f"{U}/users/{x}").json()["id"], httpx.get(f"{BASE}/users/{x}").json()["email"])',
    "client": 'c = httpx.Client(base_url=U)\nd = c.get("users/1").json()\nprint(d["id"] or d["email"])',
    "request": 'd = requests.request("GET", U + "/users/1").json()\nx = d["id"], d["email"]',
    "urllib": 'd = json.load(urllib.request.urlopen(U + "/users/1"))\nx = d["id"], d["email"]',
    "text": 'd = json.loads(requests.get(U + "/users/1").text)\nx = d["id"], d["email"]',
    "walrus": 'if (r := requests.get(U + "/users/1")).ok:\n    x = r.json()["id"], r.json()["email"]',
    "comprehension": 'x = [(v["id"], v["email"]) for v in [requests.get(U + "/users/1").json()]]',
    "wrapper": 'def g(p, **k):\n    return requests.get(U + p, **k).json()\nx = g("/users/1")["id"], g("/users/2")["email"]',
    "argument": 'def show(u):\n    print(u["id"], u["email"])\nshow(requests.get(U + "/users/1").json())',
    "generated": "u = UsersApi(client).get_user_by_id(1)\nprint(u.id, u.email)",
    "match": 'match requests.get(U + "/users/1").json():\n    case {"id": i, "email": e}:\n        print(i, e)',
    "async": (
        "async def f(s: aiohttp.ClientSession):\n"
        '    async with s.get(U + "/users/1") as r:\n        d = await r.json()\n    return d["id"], d["email"]'
    ),
}
SCRIPT = {
    "destructuring": "const { id, email: e } = await (await fetch(`${U}/users/${x}`)).json(); f(id, e);",
    "then": "fetch(U + '/users/1').then((r) => r.json()).then((u) => f(u.id, u['email']));",
    "optional": "const r = await axios.get(`${U}/users/1`); f(r.data?.id ?? r.data?.email);",
    "await-all": "const [a, b] = await Promise.all([axios.get(U + '/users/1'), axios.get(U + '/users/2')]);\n"
    "f(a.data.id, b.data.email);",
    "ky": "const u = await ky.get('users/1', { prefixUrl: U }).json(); f(u.id, u.email);",
    "config": "const { data: { id, email } } = await axios({ url: `/users/${x}`, baseURL: U }); f(id, email);",
    "wrapper": "const get = async (path) => (await fetch(U + path)).json();\n"
    "export const a = async () => (await get('/users/1')).id + (await get('/users/2')).email;",
    "class": "class C { #b = U; constructor(private http: AxiosInstance) {}\n"
    "  async user() { return (await this.http.get('/users/1')).data }\n"
    "  async both() { const u = await this.user(); return [u.id, u.email]; } }",
    "url": "const u = await (await fetch(new URL('/users/1', U))).json(); f(u.id, u.email);",
    "openapi-fetch": "const c = createClient({ baseUrl: U });\n"
    "const { data } = await c.GET('/users/{id}', { params: { path: { id } } }); f(data.id, data.email);",
    "generated": "const u = await new UsersApi().getUserById({ id }); f(u.id, u.email);",
    "generated-axios": "const { data } = await new UsersApi().getUserById(id); f(data.id, data.email);",
    "component": "const Row = ({ user }) => <b title={user.id}>{user.email}</b>;\n"
    "async function load() { const r = await axios.get(U + '/users/1'); return <Row user={r.data} />; }",
    "require": "const http = require('axios'); http.get(U + '/users/1').then(({ data }) => f(data.id, data.email));",
}
PYTHON_HEAD = (
    "import requests, httpx, json, os, aiohttp, urllib.request\nfrom users_client import UsersApi\n"
    'U = "https://users.test/api"\nBASE = os.environ["USERS_URL"]\n'
)
SCRIPT_HEAD = (
    'import axios, { AxiosInstance } from "axios"; import ky from "ky"; import createClient from "openapi-fetch";\n'
    'import { UsersApi } from "./generated-elsewhere";\nconst U = "https://users.test/api"; const x = 1, id = 1;\n'
)


@pytest.mark.parametrize("code", PYTHON.values(), ids=PYTHON)
def test_python_forms_mean_the_same(code: str) -> None:
    """However a user is asked for, the id and the email of GET /users/{id} are read and nothing is unknown."""
    found = scan(a_py=PYTHON_HEAD + code)
    assert reads(found) == {"GET /users/{id}": ["email", "id"]}
    assert not any(use.partial for use in uses(found))


@pytest.mark.parametrize("code", SCRIPT.values(), ids=SCRIPT)
def test_script_forms_mean_the_same(code: str) -> None:
    """The same, in TypeScript and JavaScript."""
    found = scan(a_tsx=SCRIPT_HEAD + code)
    assert reads(found) == {"GET /users/{id}": ["email", "id"]}
    assert not any(use.partial for use in uses(found))


def test_lists_maps_and_lengths() -> None:
    """Items are `[]`, a map's values `*`; how many there are is no field, unless there is a field of that name."""
    found = scan(
        a_py=PYTHON_HEAD
        + """
page = requests.get(U + "/users", params={"page": 2}).json()
for user in page["items"]:
    for name, value in user["labels"].items():
        print(user["roles"][0]["name"], len(user["roles"]))
""",
        b_ts=SCRIPT_HEAD
        + """
const { data } = await axios.get<any>(U + "/users");
const n = data.items.length;
data.items.filter((u) => u.length > 3).map((u) => u.labels[process.argv[2]]);
""",
    )
    assert reads(found) == {"GET /users": ["items[].labels.*", "items[].length", "items[].roles[].name"]}


def test_types_bound_what_is_handed_on() -> None:
    """What is returned as a type can be read no further than the type goes; what must be there to be parsed is read."""
    typed = scan(
        a_ts=SCRIPT_HEAD
        + """
interface Part { displayName: string; address?: { city: string } }
export async function part(id: string): Promise<Part> { return (await fetch(`${U}/users/${id}`)).json(); }
""",
        b_py=PYTHON_HEAD
        + """
from pydantic import BaseModel, Field
class Page(BaseModel):
    total: int
    found: list["User"] = Field(alias="items")
    seen: int = 0
class User(BaseModel):
    id: str
    email: str | None = None
def page():
    users = Page.model_validate(requests.get(U + "/users").json())
    return [user.email for user in users.found]
""",
    )
    assert reads(typed) == {
        "GET /users/{id}": ["address.city", "displayName"],
        "GET /users": ["items[].email", "items[].id", "total"],
    }
    assert not any(use.partial for use in uses(typed))


def test_names_as_generators_spell_them() -> None:
    """A generated client in Python says display_name where the message says displayName."""
    found = scan(a_py=PYTHON_HEAD + "print(UsersApi().get_user_by_id(id=1, expand='x').display_name)")
    assert reads(found) == {"GET /users/{id}": ["displayName"]}
    assert sends(found) == ["query:expand"]


def test_files_import_each_other() -> None:
    """A call in one file, its use in another, by class, by function and by default export."""
    found = scan(
        api_py=PYTHON_HEAD
        + """
class Users:
    def get(self, id): return requests.get(f"{U}/users/{id}").json()
""",
        main_py="""
            from api import Users
            def run(users: Users): print(users.get(1)["email"])
            print(Users().get(2)["id"])
            """,
        api_ts=SCRIPT_HEAD + "export default async function all() { return (await fetch(U + '/users')).json() }",
        main_ts="import all from './api'; const { total } = await all(); console.log(total);",
    )
    assert reads(found) == {"GET /users/{id}": ["email", "id"], "GET /users": ["total"]}


# --- what is sent ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "code", "expected"),
    [
        ("a_py", 'requests.post(U + "/users", json={"email": e, "tags": ["a"], "a": {"b": 1}})',
         ["body.a.b", "body.email", "body.tags[]"]),
        ("a_py", 'body = {"email": e}\nif e: body["name"] = e\nrequests.post(U + "/users", json=dict(body, x=1))',
         ["body.email", "body.name", "body.x"]),
        ("a_py", 'requests.get(U + "/users?page=1", headers={"X-A": "1", "User-Agent": "x"}, auth=("a", "b"))',
         ["header:Authorization", "header:X-A", "query:page"]),
        ("a_py", 'def all(**q): return requests.get(U + "/users", params=q).ok', None),
        ("a_ts", 'fetch(U + "/users", { method: "POST", body: JSON.stringify({ email, ...{ a: 1 } }) })',
         ["body.a", "body.email"]),
        ("a_ts", 'const p = new URLSearchParams({ page: "1" }); fetch(`${U}/users?${p}`)', ["query:page"]),
        ("a_ts", 'axios.get(`/users/1`, { baseURL: U, headers: { "Accept-Language": "nb" }, params: { expand } })',
         ["header:Accept-Language", "query:expand"]),
        ("a_ts", 'const f = new FormData(); f.append("email", e); axios.post(U + "/users", f)', ["body.email"]),
    ],
)  # fmt: skip
def test_what_is_sent(file: str, code: str, expected: list[str] | None) -> None:
    """Queries, headers and bodies by name; a part that is not seen leaves all of it open."""
    head = PYTHON_HEAD if file == "a_py" else SCRIPT_HEAD
    assert sends(scan(**{file: head + code})) == expected


# --- what is not followed -------------------------------------------------------------------------------------------


def test_what_is_handed_on_is_not_known() -> None:
    """A body that goes where it is not seen leaves its use partial; what is read for sure stays sure."""
    found = scan(
        a_py=PYTHON_HEAD
        + """
from elsewhere import render
def user(id):
    data = requests.get(f"{U}/users/{id}").json()
    print(data["email"])
    return render(data)
""",
    )
    (use,) = uses(found)
    assert use.partial
    assert [(note.file, note.line) for note in found.notes] == [("a.py", 10)]
    base, head = (api("users", SPEC.replace(gone, ""), servers=SERVERS) for gone in ("", "email: {type: string},"))
    other = api("users", SPEC.replace("length: {type: integer},", ""), servers=SERVERS)
    assert hit(trace({"users": base}, {"users": head}, found.consumers)) == {"me": ("broken", 1)}
    assert hit(trace({"users": base}, {"users": other}, found.consumers)) == {"me": ("possible", 1)}


def test_what_is_unseen_is_said_with_its_line() -> None:
    """Paths that are built at run time, operations that nobody has, methods that are chosen later."""
    found = scan(
        a_py="""
            import requests
            def one(url): return requests.get(url).json()["x"]
            def two(): return requests.get("https://users.test/api/nothing/here").json()
            def three(verb): requests.request(verb, "https://users.test/api/users")
            """
    )
    assert uses(found) == []
    assert [(note.line, note.message.partition(": ")[2]) for note in found.notes] == [
        (3, "its path is built at run time"),
        (4, "no service is known to answer GET https://users.test/api/nothing/here"),
        (5, "the method that https://users.test/api/users is called with is chosen at run time"),
    ]


def test_servers_are_no_clients() -> None:
    """Routes that are declared, caches and tests are not calls."""
    found = scan(
        a_ts="app.get('/users/:id', (req, res) => res.json({})); cache.get('/users/1'); router.get('/users');",
        a_py='@app.get("/users")\ndef users(): return []\n',
        test_py='import requests\nrequests.get("https://users.test/api/users")',
    )
    # `test.py` is no name of a test; only the call in it is one.
    assert [use.origin.file for use in uses(found)] == ["test.py"]


def test_adversarial_files(tmp_path: Path) -> None:
    """Files that are no code, too large or nested without end are named and passed over; the others are read."""
    files = {
        "broken.py": b"def broken(:\n",
        "latin.py": b'x = "\xff"\n',
        "null.py": b"x = 1\0\n",
        "deep.py": b"x = 1" + b"+1" * 20_000,
        "broken.ts": b"const x = 1;\nconst y = ;\n",
        "latin.js": b'x = "\xff"\n',
        "deep.js": b"x=" + b"[" * 20_000 + b"]" * 20_000,
        "bundle.js": b" " * 1_100_000,
        "marked.ts": b"\xef\xbb\xbfawait fetch('https://users.test/api/users');\n",
        "cookie.py": b"# -*- coding: latin-1 -*-\nimport requests\n'\xe5'\nrequests.get('https://users.test/api/users')\n",
        "host.py": b"import requests\nrequests.get(f'http://[{host}]:{port}/{x}')\nrequests.get('http://[::1')\n",
        "loop.py": b"def f(x): return g(f(x))\ndef g(x): return f(g(x))\nclass A(A): pass\nf(g(A()))\n",
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    found = scan_code(DirectoryTree(tmp_path, tmp_path), {"users": users()}, consumer="me")
    assert sorted({use.origin.file for use in uses(found)}) == ["cookie.py"]  # both calls are one use
    assert sorted({note.file for note in found.notes}) == sorted(
        ["broken.py", "latin.py", "null.py", "deep.py", "broken.ts", "latin.js", "deep.js", "bundle.js", "host.py"]
    )
    assert {note.file: note.line for note in found.notes}["broken.ts"] == 2


def test_a_scan_is_the_same_every_time() -> None:
    """Uses and notes come in the order of files and lines."""
    folder = CLIENTS / "typescript/web-storefront"
    one, two = (scan_code(DirectoryTree(folder), company(), consumer="x") for _ in range(2))
    assert one == two


def test_a_scan_written_as_a_manifest() -> None:
    """What is written is read as the same, partial uses included; each field has its line in a comment."""
    code = PYTHON_HEAD + 'def f(id):\n    d = requests.get(f"{U}/users/{id}").json()\n    d["email"]\n    return d\n'
    text = to_yaml(scan(a_py=code).consumers[0])
    assert "- email    # a.py:7" in text
    back: Consumer = load_manifest(load(text.encode(), "m.yaml"), "m.yaml", lambda pointer: None)
    assert [(use.operation, use.partial, [write(each.path) for each in use.reads or ()]) for use in back.uses] == [
        ("GET /users/{id}", True, ["email"])
    ]
