"""Clients as they are written today: hooks, generated hooks, schemas, helpers, and wrappers of other people."""

from __future__ import annotations

import pytest

from tests.graph.test_code import PYTHON_HEAD, SCRIPT_HEAD, reads, scan, sends, uses

pytest.importorskip("tree_sitter_typescript", reason="needs the scan extra")

IMPORTS = (
    SCRIPT_HEAD
    + "import { useQuery, useMutation, useInfiniteQuery, queryOptions } from '@tanstack/react-query';\n"
    + "import { useState, useEffect } from 'react'; import useSWR from 'swr'; import * as z from 'zod';\n"
    + "import { createApi, fetchBaseQuery } from '@reduxjs/toolkit/query/react'; import _ from 'lodash';\n"
    + "import createHooks from 'openapi-react-query'; import { RESTDataSource } from '@apollo/datasource-rest';\n"
    + "const api = axios.create({ baseURL: U });\n"
)
ONE = "const one = (id) => api.get(`/users/${id}`).then((r) => r.data);\n"

HOOKS = {
    "query": "const C = () => { const { data } = useQuery({ queryKey: [1], queryFn: () => one(1) }); f(data?.email); };",
    "query-of-options": "const o = queryOptions({ queryFn: () => one(1) }); const C = () => f(useQuery(o).data.email);",
    "query-of-a-key": "const C = () => f(useQuery(['u'], () => one(1)).data.email);",
    "select": "const C = () => f(useQuery({ queryFn: () => one(1), select: (u) => u.email }).data.length);",
    "ensured": "async function load(queryClient) { f((await queryClient.fetchQuery({ queryFn: () => one(1) })).email); }",
    "swr": "const get = (url) => fetch(url).then((r) => r.json());\n"
    "const C = () => { const { data } = useSWR(x ? `${U}/users/${x}` : null, get); f(data.email); };",
    "state": "function C() { const [user, setUser] = useState(null);\n"
    "  useEffect(() => { one(1).then(setUser); }, []); return f(user?.email); }",
    "state-of-a-hook": "function useUser(id) { const [s, set] = useState({ user: null });\n"
    "  useEffect(() => { (async () => { set({ user: await one(id) }); })(); }, [id]); return s; }\n"
    "const C = () => { const { user } = useUser(1); return f(user.email); };",
    "generated-hook": "import { useGetUserById } from '@acme/hooks'; const C = () => f(useGetUserById(1).data.email);",
    "generated-options": "import { getUserByIdOptions } from '@acme/gen';\n"
    "const C = () => f(useQuery({ ...getUserByIdOptions({ path: { id } }) }).data.email);",
    "generated-alias": "import { getUserById as load } from '@acme/sdk';\n"
    "export async function g() { const { data } = await load({ path: { id } }); f(data.email); }",
    "openapi-react-query": "const $api = createHooks(createClient({ baseUrl: U }));\n"
    "const C = () => { const { data } = $api.useQuery('get', '/users/{id}', { params: {} }); f(data.email); };",
    "rtk-query": "const users = createApi({ baseQuery: fetchBaseQuery({ baseUrl: U }), endpoints: (build) => ({\n"
    "  user: build.query({ query: (id) => `/users/${id}` }) }) });\nconst { useUserQuery } = users;\n"
    "const C = () => f(useUserQuery(1).data.email);",
    "nuxt": "const { data } = await useFetch(`${U}/users/1`); f(data.value.email);",
}
WRAPPERS = {
    "options": "async function http(path, init) {\n"
    "  const r = await fetch(`${U}${path}`, { ...init, headers: { A: 1, ...init?.headers } }); return r.json(); }\n"
    "http('/users/1').then((u) => f(u.email));",
    "fetch-by-another-name": "class C { constructor(private o: any) {}\n"
    "  async go(path) { const send = this.o.fetch ?? fetch; return (await send(U + path)).json(); } }\n"
    "export async function g() { f((await new C({}).go('/users/1')).email); }",
    "of-others": "import { apiFetch } from '@acme/http'; export async function g() { f((await apiFetch('/users/1')).email); }",
    "verb-first": "import { call } from '@acme/http'; export async function g() { f((await call('GET', '/users/1')).email); }",
    "data-source": "class D extends RESTDataSource { baseURL = U + '/';\n"
    "  async mail(id) { const u = await this.get(`users/${id}`); return f(u.email); } }",
    "object-of-functions": "const users = { list: () => null, load: (id) => one(id) };\n"
    "export async function g() { f((await users.load(1)).email); }",
}
CHECKED = {
    "zod": "const V = z.object({ email: z.string(), labels: z.any().optional() }); one(1).then((u) => V.parse(u));",
    "zod-inferred": "const V = z.object({ email: z.string() }); type V = z.infer<typeof V>;\n"
    "export async function g(): Promise<V> { return V.parse(await one(1)); }",
    "zod-extended": "const I = z.object({ id: z.string() }); const V = I.extend({ email: z.string().min(1) }).omit({ id: true });\n"
    "one(1).then((u) => V.safeParse(u));",
    "zod-typed": "const V = z.object({ email: z.string() });\n"
    "export async function g(): Promise<z.infer<typeof V>> { return one(1); }",
}
HELPERS = {
    "get": "one(1).then((u) => f(_.get(u, 'email')));",
    "pick": "one(1).then((u) => f(_.pick(u, ['email'])));",
    "names": "const names = ['email'] as const; one(1).then((u) => names.map((n) => f(u[n])));",
}


@pytest.mark.parametrize(
    "code",
    [*HOOKS.values(), *WRAPPERS.values(), *CHECKED.values(), *HELPERS.values()],
    ids=[*HOOKS, *WRAPPERS, *CHECKED, *HELPERS],
)
def test_scripts_of_today(code: str) -> None:
    """However a user gets into a component, its email is what is read, and nothing of it is unknown."""
    found = scan(a_tsx=IMPORTS + ONE * ("one(" in code) + code)
    assert {operation: fields for operation, fields in reads(found).items() if fields} == {"GET /users/{id}": ["email"]}
    assert not any(use.partial for use in uses(found))


def test_lists_in_components() -> None:
    """Pages, selected parts and helpers that are given the names of fields, in one file and over two."""
    found = scan(
        a_ts=IMPORTS + "export const list = async ({ pageParam }) => (await api.get('/users')).data;\n"
        "export const usePages = () => useInfiniteQuery({ queryFn: list, getNextPageParam: (last) => last.total });\n"
        "export const useUsers = () => useQuery({ queryFn: list, select: (page) => page.items });",
        b_tsx="import { usePages, useUsers } from './a'; import sortBy from 'lodash/sortBy';\n"
        "const P = () => <>{usePages().data?.pages.flatMap((p) => p.items).map((u) => <b key={u.id} />)}</>;\n"
        "const Q = () => <>{sortBy(useUsers().data, 'displayName').map((u) => <b>{u.email}</b>)}</>;",
    )
    assert reads(found) == {"GET /users": ["items[].displayName", "items[].email", "items[].id", "total"]}


def test_a_mutation_sends_what_it_is_called_with() -> None:
    """What a form sends, and what is read of the answer, wherever that is told."""
    found = scan(
        a_tsx=IMPORTS
        + "const C = () => { const m = useMutation({ mutationFn: async (b) => (await api.post('/users', b)).data,\n"
        "  onSuccess: (u) => g(u.id.trim()) });\n"
        "  return h(m.data?.displayName.trim(), () => m.mutate({ email: 1 }, { onSuccess: (u) => g(u.email.trim()) })); };"
    )
    assert reads(found) == {"POST /users": ["displayName", "email", "id"]}
    assert sends(found) == ["body.email"]


def test_hooks_that_nobody_calls_here_are_not_known() -> None:
    """What an API of RTK Query offers to other folders is read there."""
    (use,) = uses(scan(a_ts=IMPORTS + HOOKS["rtk-query"].partition("\nconst {")[0]))
    assert (use.operation, use.partial) == ("GET /users/{id}", True)


PYTHON = {
    "entered": (
        "class Api:\n    async def __aenter__(self):\n        self.s = aiohttp.ClientSession(U)\n        return self\n"
        "    async def user(self, id):\n        async with self.s.get(f'/users/{id}') as r:\n"
        "            return await r.json()\n"
        "async def main():\n    async with Api() as a:\n        print((await a.user(1))['email'])"
    ),
    "yielded": (
        "@contextmanager\ndef client():\n    with httpx.Client(base_url=U) as c:\n        yield c\n"
        "def f():\n    with client() as c:\n        print(c.get('users/1').json()['email'])"
    ),
    "names": "d = requests.get(U + '/users/1').json()\nprint({k: d[k] for k in ('email',)})",
    "attrgetter": "import operator\nfor u in sorted([requests.get(U + '/users/1').json()], key=operator.itemgetter('email')): pass",
}


@pytest.mark.parametrize("code", PYTHON.values(), ids=PYTHON)
def test_python_of_today(code: str) -> None:
    """Clients that are made when they are entered, and keys that come out of a list."""
    found = scan(a_py=PYTHON_HEAD + code)
    assert reads(found) == {"GET /users/{id}": ["email"]}
    assert not any(use.partial for use in uses(found))


def test_a_client_that_is_not_seen_where_it_is_used() -> None:
    """What is nothing as yet is set by somebody: the call is one all the same."""
    found = scan(
        a_py=PYTHON_HEAD
        + "class Api:\n    s = None\n    def user(self, id): return self.s.get(f'{U}/users/{id}').json()\n"
        "    def connect(self): self.s = requests.Session()\n"
        "a = Api()\nprint(a.user(1)['email'])"
    )
    assert reads(found) == {"GET /users/{id}": ["email"]}


def test_a_key_that_is_told_at_run_time() -> None:
    """It may be any of the fields that an object names; of a map, it is any of its values."""
    found = scan(a_py=PYTHON_HEAD + "d = requests.get(U + '/users/1').json()\nprint(d[x])")
    assert [(use.partial, use.reads) for use in uses(found)] == [(True, ())]
    found = scan(a_py=PYTHON_HEAD + "d = requests.get(U + '/users/1').json()\nprint(d['labels'][x])")
    assert reads(found) == {"GET /users/{id}": ["labels.*"]}


def test_types_in_the_spelling_of_code() -> None:
    """What renames the fields of a type may be a base class, a decorator or a library: the schema has the name."""
    model = "class User({}):\n    display_name: str\nUser(**requests.get(U + '/users/1').json())"
    for base in ("Base", "msgspec.Struct, rename='camel'"):
        head = PYTHON_HEAD + "import msgspec\nfrom pydantic import BaseModel\nclass Base(BaseModel):\n"
        head += "    model_config = {'alias_generator': to_camel}\n"
        assert reads(scan(a_py=head + model.format(base))) == {"GET /users/{id}": ["displayName"]}


def test_a_model_of_which_a_part_is_not_known() -> None:
    """What a model of another package reads of a part is not known: the part counts as a whole."""
    found = scan(
        a_py=PYTHON_HEAD + "from elsewhere import Address\nfrom pydantic import BaseModel\n"
        "class User(BaseModel):\n    id: str\n    address: Address\n"
        "print(User(**requests.get(U + '/users/1').json()).address.city)"
    )
    assert reads(found) == {"GET /users/{id}": ["address", "address.city", "id"]}


def test_a_function_that_makes_itself_anew_ends() -> None:
    """Polling: what follows it in the folder is read all the same."""
    found = scan(
        a_js="function poll(id) { k.get(`https://users.test/api/users/${id}`).set('x').then((r) => poll(r.body.id)); }",
        b_js=IMPORTS + ONE + "one(1).then((u) => f(u.email));",
    )
    assert "email" in reads(found)["GET /users/{id}"]
    assert not [note for note in found.notes if "too" in note.message]


def test_what_is_sent_only_sometimes() -> None:
    """A body that is only there for some calls is none of another kind."""
    found = scan(
        a_ts=IMPORTS + "async function go(method, path, body) {\n"
        "  await fetch(U + path, { method, body: body ? JSON.stringify(body) : undefined }); }\n"
        "go('POST', '/users', { email: 1 });"
    )
    assert sends(found) == ["body.email"]


def test_a_client_that_is_lost_where_it_is_used() -> None:
    """A method that requests for its own sake, and not where it was seen to be called, reads what is not known."""
    found = scan(
        a_py=PYTHON_HEAD + "class Api:\n    def __init__(self, s: requests.Session): self.s = s\n"
        "    def user(self, id): return self.s.get(f'{U}/users/{id}').json()\n"
        "print(Api({}).user(1)['email'])"
    )
    assert [(use.operation, use.partial) for use in uses(found)] == [("GET /users/{id}", True)]
