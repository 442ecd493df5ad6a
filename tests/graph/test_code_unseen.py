"""Clients' own source: what is read in roundabout ways is found, and what is not understood is never "reads nothing"."""

from __future__ import annotations

import pytest

from guardian.graph.consumers.code.scan import scan_code
from guardian.graph.uses import Found
from guardian.spec.trees import MemoryTree
from tests.graph.test_code import PYTHON_HEAD, SCRIPT_HEAD, SERVERS, SPEC, reads, scan, sends, uses
from tests.graph.worlds import api, hit, trace

pytest.importorskip("tree_sitter_typescript", reason="needs the scan extra")

HEAD = SCRIPT_HEAD + "const api = axios.create({ baseURL: U });\n"
UNWRAPPED = HEAD + "api.interceptors.response.use((r) => r.data, (e) => Promise.reject(e));\n"
ONE = PYTHON_HEAD + "def one(id): return requests.get(f'{U}/users/{id}').json()\n"
GOT = "const u = await (await fetch(`${U}/users/${id}`)).json();\n"


def script(code: str, head: str = HEAD) -> Found:
    return scan(a_tsx=f"{head}export async function f(id, k) {{ {code} }}")


def partial(found: Found) -> bool:
    return any(use.partial for use in uses(found))


# --- what is read ---------------------------------------------------------------------------------------------------

SEEN = {
    "interceptor": (UNWRAPPED, "const u = await api.get(`/users/${id}`); f(u.email);"),
    "interceptor-then": (UNWRAPPED, "api.get(`/users/${id}`).then((u) => f(u.email));"),
    "interceptor-of-the-module": (
        SCRIPT_HEAD + "axios.interceptors.response.use((r) => r.data);\n",
        "const u = await axios.get(`${U}/users/${id}`); f(u.email);",
    ),
    "interceptor-of-errors": (
        HEAD + "api.interceptors.response.use(undefined, (e) => Promise.reject(e));\n",
        "const r = await api.get(`/users/${id}`); if (r.status === 200) f(r.data.email);",
    ),
    "unwrapped-elsewhere": (HEAD, "const u = await api.get(`/users/${id}`); f(u.email);"),
    "all-settled": (HEAD, "const [r] = await Promise.allSettled([api.get(`/users/${id}`)]); f(r.value.data.email);"),
    "race": (HEAD, "const r = await Promise.race([api.get(`/users/${id}`), k]); f(r.data.email);"),
    "spread": (HEAD, "Promise.all([api.get(`/users/${id}`)]).then(axios.spread((r) => f(r.data.email)));"),
    "all-then": (HEAD, "Promise.all([k, api.get(`/users/${id}`)]).then(([a, r]) => f(r.data.email));"),
    "map": (HEAD, GOT + "const m = new Map(); m.set(id, u); f(m.get(id).email);"),
    "map-of-pairs": (HEAD, GOT + "for (const [key, x] of new Map([[id, u]])) f(x.email);"),
    "object-of-pairs": (HEAD, GOT + "f(Object.fromEntries([[id, u]])[id].email);"),
    "in": (HEAD, GOT + "f('email' in u);"),
    "has-own-property": (HEAD, GOT + "f(u.hasOwnProperty('email'));"),
    "has-own": (HEAD, GOT + "if (Object.hasOwn(u, 'email')) f();"),
    "keys": (HEAD, GOT + "f(Object.keys(u).includes('email'));"),
    "spread-object": (HEAD, GOT + "const v = { ...u, id: 1 }; f(v.email, v.id);"),
    "undici": (
        HEAD + "import { request } from 'undici';\n",
        "const { statusCode, body } = await request(U + '/users/1'); f(statusCode, (await body.json()).email);",
    ),
    "pipe": (
        SCRIPT_HEAD + "import { HttpClient } from '@angular/common/http'; import { map, retry } from 'rxjs';\n",
        "const h: HttpClient = k; h.get(U + '/users/1').pipe(retry(2), map((u) => u.email)).subscribe((e) => f(e));",
    ),
    "client-of-others": (HEAD + "import other from '@acme/http';\n", "f((await other.get(`/users/${id}`)).email);"),
    "object-of-functions": (
        HEAD,
        "const o = { get: (id) => api.get(`/users/${id}`) }; f((await o.get(1)).data.email);",
    ),
    "join": (HEAD, "const r = await api.get(['/users', id].join('/')); f(r.data.email);"),
}


@pytest.mark.parametrize(("head", "code"), SEEN.values(), ids=SEEN)
def test_script_reads_in_roundabout_ways(head: str, code: str) -> None:
    """However the email of a user is got at, it is what is read, and nothing is unknown."""
    found = script(code, head)
    assert reads(found) == {"GET /users/{id}": ["email"]}
    assert not partial(found)


PYTHON_SEEN = {
    "in": "print('email' in one(1))",
    "getattr": "u = UsersApi().get_user_by_id(1)\nprint(getattr(u, 'email'), one(1).get('email'))",
    "with-http-info": "u, status, _ = UsersApi().get_user_by_id_with_http_info(1)\nprint(u.email, one(1)['email'])",
    "dict": "print(dict(one(1), x=1)['email'], {**one(1), 'y': 2}['email'])",
    "pairs": "users = [one(1)]\nprint(dict(zip([1], users))[1]['email'])",
    "keywords": "def show(email, **rest): print(email)\nshow(**one(1))",
    "executor": "import concurrent.futures as c\npool = c.Pool()\nprint([u['email'] for u in pool.map(one, [1])])",
    "adapter": "from pydantic import BaseModel, TypeAdapter\nclass A(BaseModel):\n    email: str\n"
    "print(TypeAdapter(A).validate_json(requests.get(U + '/users/1').text).email, one(1)['email'])",
    "join": "def url(*parts): return '/'.join([U, *parts])\n"
    "print(requests.get(url('users', x)).json()['email'], one(1)['email'])",
}


@pytest.mark.parametrize("code", PYTHON_SEEN.values(), ids=PYTHON_SEEN)
def test_python_reads_in_roundabout_ways(code: str) -> None:
    """The same in Python."""
    found = scan(a_py=ONE + code)
    assert reads(found) == {"GET /users/{id}": ["email"]}
    assert not partial(found)


def test_items_with_their_positions() -> None:
    """``entries`` of a list gives its items: what the schema calls a list is none of an object's values."""
    found = scan(
        a_ts=HEAD + "const { data } = await api.get('/users'); for (const [i, u] of data.items.entries()) f(u.id);"
    )
    assert reads(found) == {"GET /users": ["items[].id"]}


def test_a_name_of_responses_may_be_a_field() -> None:
    """Where the library gives the body itself, `length` and `status` are fields; a response's status is none."""
    spec = "/jobs: {get: {responses: {'200': {description: '', content: {application/json: {schema: {type: object,\n"
    spec += "  properties: {status: {type: string}, note: {type: string}}}}}}}}}"
    jobs = api("users", spec, servers="- url: https://users.test/api")
    code = "import {{ ofetch }} from 'ofetch'; const r = await {}('https://users.test/api/jobs'); f(r.status, {});"
    for call, other, expected in (
        ("ofetch", "r.note", ["note", "status"]),
        ("fetch", "(await r.json()).note", ["note"]),
        ("axios.get", "r.data.note", ["note"]),
    ):
        found = scan_code(
            MemoryTree({"a.ts": (SCRIPT_HEAD + code.format(call, other)).encode()}), {"users": jobs}, consumer="me"
        )
        assert reads(found) == {"GET /jobs": expected}


# --- what is not seen -----------------------------------------------------------------------------------------------

UNSEEN = {
    "interceptor-of-others": "api.interceptors.response.use(k); const u = await api.get(`/users/${id}`); f(u.id);",
    "transformed": "const t = axios.create({ baseURL: U, transformResponse: k }); f((await t.get('/users/1')).data.id);",
    "stored": "store.set(id, (await api.get(`/users/${id}`)).data);",
    "set-elsewhere": "window.user = (await api.get(`/users/${id}`)).data;",
    "subject": "subject.next((await api.get(`/users/${id}`)).data);",
    "callback": "api.get(`/users/${id}`).then((r) => r.data).then(k);",
    "schema": GOT + "z.object({ email: z.string() }).parse(u); f(u.id);",
    "thrown": "const r = await fetch(`${U}/users/${id}`); if (!r.ok) throw await r.json();",
    "text": "const r = await fetch(`${U}/users/${id}`); if ((await r.text()).includes('email')) f();",
    "saga": "const r = yield call(one, id); f(r.data.email); function one(id) { return api.get(`/users/${id}`); }",
    "superagent": "import_request.get(`${U}/users/${id}`).set('x', 'y').then((r) => f(r.body.email));",
}


@pytest.mark.parametrize("code", UNSEEN.values(), ids=UNSEEN)
def test_scripts_that_are_not_understood(code: str) -> None:
    """What goes where it is not seen is not known: never a use that seems to read nothing."""
    found = script(code, HEAD + "import { store, subject, import_request, z, call } from 'elsewhere';\n")
    assert partial(found)


PYTHON_UNSEEN = {
    "set": "print(set(one(1)) >= {'email'})",
    "compared": "def same(old): return one(1) == old",
    "matched": "match one(1):\n    case dict(): print(1)",
    "raised": "raise one(1)",
    "stored": "class C: pass\nC.user = one(1)",
    "unknown-model": "from elsewhere import Base\nclass A(Base): pass\nA.model_validate(one(1))",
    "built-and-put-away": "queue.put(httpx.Request('GET', U + '/users/1'))",
    "too-deep": "".join(f"def f{n + 1}(): return f{n}()\n" for n in range(8)).replace("f0()", "one(1)")
    + "print(f8()['email'], one(1)['id'])",
}


@pytest.mark.parametrize("code", PYTHON_UNSEEN.values(), ids=PYTHON_UNSEEN)
def test_python_that_is_not_understood(code: str) -> None:
    """The same in Python."""
    assert partial(scan(a_py=ONE + code))


def test_a_removed_field_behind_an_interceptor_is_a_break() -> None:
    """The whole way: what an unwrapped response is asked for is found broken when it goes."""
    found = script("const u: any = await api.get(`/users/${id}`); return u.email;", UNWRAPPED)
    base, head = (api("users", SPEC.replace(gone, ""), servers=SERVERS) for gone in ("", "email: {type: string},"))
    assert hit(trace({"users": base}, {"users": head}, found.consumers)) == {"me": ("broken", 1)}


def test_looking_at_a_reply_reads_nothing() -> None:
    """Whether it is there, its status, and its text in an error message are no reads, and leave nothing unknown."""
    found = scan(
        a_ts=HEAD + "const r = await fetch(U + '/users/1'); if (!r.ok || r.status > 299 || r.redirected) f(r.statusText);\n"
        "const { data } = await api.get('/users/1'); if (data == null || typeof data === 'string') f();\n",
        b_py=ONE + "u = one(1)\nif u == {} or u is None or not u: print(len(u))\n"
        "r = requests.get(U + '/users/1')\nif r.status_code > 299: raise ValueError(f'failed: {r.text}')\n",
    )  # fmt: skip
    assert reads(found) == {"GET /users/{id}": []}
    assert not partial(found)


# --- calls ----------------------------------------------------------------------------------------------------------

PYTHON_CALLS = {
    "prepared": (
        "s = requests.Session()\n"
        "print(s.send(s.prepare_request(requests.Request('GET', U + '/users/1'))).json()['email'])"
    ),
    "prepared-by-itself": (
        "def f(id, s):\n"
        "    p = requests.Request('GET', f'{U}/users/{id}').prepare()\n"
        "    print(requests.Session().send(p).json()['email'])"
    ),
    "build_request": (
        "c = httpx.Client(base_url=U + '/')\n"
        "def f(id): print(c.send(c.build_request('GET', f'/users/{id}')).json()['email'])"
    ),
    "httpx-request": ("print(httpx.Client().send(httpx.Request('GET', U + '/users/1')).json()['email'])"),
    "urllib": (
        "q = urllib.request.Request(U + '/users/1', headers={'X-A': '1'})\n"
        "print(json.load(urllib.request.urlopen(q, timeout=1))['email'])"
    ),
    "toolbelt": (
        "from requests_toolbelt.sessions import BaseUrlSession\n"
        "def f(id): print(BaseUrlSession(base_url=U + '/').get(f'users/{id}').json()['email'])"
    ),
    "base-of-an-unknown": ("from acme import Http\nh = Http(base_url=U)\nprint(h.get('users/1').json()['email'])"),
}
SCRIPT_CALLS = {
    "got": (
        "import got from 'got'; const g = got.extend({ prefixUrl: U, responseType: 'json' });\n"
        "export async function f(id) { const { body } = await g(`users/${id}`); print(body.email); }"
    ),
    "ofetch": (
        "import { ofetch } from 'ofetch'; const o = ofetch.create({ baseURL: U });\n"
        "export async function f(id) { print((await o(`/users/${id}`)).email); }"
    ),
    "ky": (
        "const one = ky.create({ prefixUrl: U }); const two = one.extend({ retry: 3 });\n"
        "export async function f(id) { print((await two(`users/${id}`).json()).email); }"
    ),
    "request": ("const r = await fetch(new Request(U + '/users/1')); print((await r.json()).email);"),
}
CALLS = {
    **{name: ("a_py", PYTHON_HEAD + code) for name, code in PYTHON_CALLS.items()},
    **{name: ("a_ts", SCRIPT_HEAD + code) for name, code in SCRIPT_CALLS.items()},
}


@pytest.mark.parametrize(("file", "code"), CALLS.values(), ids=CALLS)
def test_calls_that_are_built_elsewhere(file: str, code: str) -> None:
    """Request objects, and clients that are called by themselves, are calls like any other."""
    found = scan(**{file: code})
    assert reads(found) == {"GET /users/{id}": ["email"]}
    assert not partial(found)


def test_a_request_object_says_what_is_sent() -> None:
    """Method, headers and body of an object that is sent later."""
    found = scan(
        a_py=PYTHON_HEAD
        + "q = urllib.request.Request(U + '/users', json.dumps({'email': 1}).encode(), method='POST')\n"
        "q.add_header('X-A', '1')\nurllib.request.urlopen(q)"
    )
    assert sends(found) == ["body.email", "header:X-A"]
    assert list(reads(found)) == ["POST /users"]


@pytest.mark.parametrize(
    "code",
    [
        "function f(id) { $.getJSON(`https://users.test/api/users/${id}`, (u) => g(u.email)); }",
        "function f(id) { $.ajax({ url: 'https://users.test/api/users/' + id, success(u) { g(u.email); } }); }",
        "function f(id) { const x = new XMLHttpRequest(); x.open('GET', `https://users.test/api/users/${id}`); }",
        "function f(id) { $.load(`${process.env.API_URL}/users/${id}`); }",
    ],
)
def test_a_url_that_goes_to_something_unknown_is_said(code: str) -> None:
    """A call that is not followed is no silence: its URL is that of a service."""
    found = scan(a_js=code)
    assert uses(found) == []
    assert [note.message.partition(": ")[2].partition(" with ")[0] for note in found.notes] == [
        "nothing is known of what is called"
    ]


def test_a_path_of_unknown_length_is_none() -> None:
    """A list of which it is not known how long it is tells no path: not the shorter one's operation."""
    found = scan(a_py=PYTHON_HEAD + "def f(parts): return requests.get('/'.join([U, 'users', *parts])).json()['email']")
    assert uses(found) == []
    assert [note.message for note in found.notes] == ["a call left out: its path is built at run time"]
