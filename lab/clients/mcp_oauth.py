"""The Python SDK of the Model Context Protocol, without a key: it gets its token by OAuth, as the protocol describes it.

usage: mcp_oauth.py EXPECTED IBIDEM   (environment: IBIDEM_TENANT, IBIDEM_STACK_OIDC and the settings of the stack)

The SDK is told the address of /mcp and nothing else. The only part that is played here is the person's: the pages of the
identity provider are filled in by this program, where a browser would be opened.
"""

import asyncio
import base64
import json
import os
import re
import socket
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata

EXPECTED = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
IBIDEM, TENANT, PROVIDER = sys.argv[2], os.environ["IBIDEM_TENANT"], os.environ["IBIDEM_STACK_OIDC"]
# Nobody listens there: the code is read out of the provider's last redirect.
CALLBACK = "http://127.0.0.1:9/callback"
PATIENCE = 120


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def registered(name, redirect, method):
    """A client that the provider knows beforehand."""
    described = {
        "client_name": name,
        "redirect_uris": [redirect],
        "grant_types": ["authorization_code"],
        "response_types": ["code"],
        "token_endpoint_auth_method": method,
    }
    reply = httpx2.post(f"{PROVIDER}/reg", json=described, timeout=PATIENCE)
    assert reply.status_code == 201, reply.text
    return reply.json()


class Server:
    """A server that people sign in at. Tokens count only where they are meant for its /mcp."""

    def __enter__(self):
        for _ in range(5):
            self.url = f"http://127.0.0.1:{free_port()}"
            client = registered("server", f"{self.url}/auth/callback", "client_secret_basic")
            settings = {
                "IBIDEM__SIGN_IN__ISSUER": PROVIDER,
                "IBIDEM__SIGN_IN__CLIENT_ID": client["client_id"],
                "IBIDEM__SIGN_IN__CLIENT_SECRET": client["client_secret"],
                "IBIDEM__SIGN_IN__PUBLIC_URL": self.url,
                "IBIDEM__SIGN_IN__TENANT": TENANT,
                "IBIDEM__SIGN_IN__AUDIENCES": f"{self.url}/mcp",
                "IBIDEM__SIGN_IN__SCOPES": "openid,profile,email,groups",
                "IBIDEM__SIGN_IN__TIMEOUT_MS": "60000",
            }
            listen = self.url.removeprefix("http://")
            command = [IBIDEM, "serve", "--listen", listen]
            environment = {**os.environ, **settings}
            self.process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
            said = []
            for line in self.process.stderr:
                if line.startswith("listening on "):
                    return self
                said.append(line)
            self.process.wait()
        raise AssertionError("the server did not start: " + "".join(said))

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate(timeout=PATIENCE)


class Kept:
    """What the SDK remembers of one person."""

    def __init__(self, client=None):
        self.tokens, self.client = None, client

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class Person:
    """Somebody who signs in at the provider's pages and agrees to what is asked for."""

    def __init__(self, name, groups):
        self.login = f"{name}-{TENANT}"
        said = {"name": name, "groups": groups}
        assert httpx2.put(f"{PROVIDER}/people/{self.login}", json=said, timeout=PATIENCE).status_code == 204
        self.asked, self.result = None, None

    async def sent_to(self, address):
        self.asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        async with httpx2.AsyncClient(timeout=PATIENCE) as browser:
            reply = await browser.get(address)
            for _ in range(12):
                to = reply.headers.get("location")
                if to is None:
                    form = re.search(r'<form[^>]*action="([^"]+)"', reply.text)
                    prompt = re.search(r'name="prompt" value="(\w+)"', reply.text)
                    assert form and prompt, reply.text
                    fields = {"prompt": prompt[1]}
                    if prompt[1] == "login":
                        fields |= {"login": self.login, "password": "any"}
                    reply = await browser.post(str(reply.url.join(form[1])), data=fields)
                elif to.startswith(CALLBACK):
                    back = {name: values[0] for name, values in parse_qs(urlsplit(to).query).items()}
                    assert "code" in back, back
                    self.result = AuthorizationCodeResult(**{name: back.get(name) for name in ("code", "state", "iss")})
                    return
                else:
                    reply = await browser.get(str(reply.url.join(to)))
        raise AssertionError("the provider did not send its user back")

    async def came_back(self):
        return self.result


def sdk(server, person, kept):
    about = OAuthClientMetadata(
        client_name="an agent", redirect_uris=[CALLBACK], grant_types=["authorization_code"], response_types=["code"]
    )
    return OAuthClientProvider(
        server_url=f"{server.url}/mcp",
        client_metadata=about,
        storage=kept,
        redirect_handler=person.sent_to,
        callback_handler=person.came_back,
    )


async def with_client(server, auth, use):
    """Runs it with a connected client, and says what was sent where and how it ended."""
    sent = []

    async def note(response):
        sent.append((response.request.method, str(response.request.url), response.status_code))

    async with httpx2.AsyncClient(auth=auth, timeout=PATIENCE, event_hooks={"response": [note]}) as http:
        async with Client(streamable_http_client(f"{server.url}/mcp", http_client=http)) as client:
            await use(client)
    return sent


def claims(token):
    body = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))


async def asks(client):
    names = [tool.name for tool in (await client.list_tools()).tools]
    assert names == ["ask", "search", "read_passage", "define_term", "verify_claim", "list_documents"], names
    for name in ("answered", "refused"):
        one = EXPECTED[name]
        result = await client.call_tool("ask", {"query": one["question"]})
        assert not result.is_error, result
        assert result.content[0].text == one["text"], (result.content[0].text, one["text"])
        said = result.structured_content
        assert (said["answer"], said["refused"]) == (one["answer"], one["refused"]), said


async def a_stranger_registers_signs_in_and_asks(server):
    person, kept = Person("Ada", ["staff"]), Kept()
    sent = await with_client(server, sdk(server, person, kept), asks)
    mcp = f"{server.url}/mcp"
    metadata = f"{server.url}/.well-known/oauth-protected-resource/mcp"
    steps = [("POST", mcp, 401), ("GET", metadata, 200)]
    assert sent[:2] == steps, sent
    at_provider = [(method, url.removeprefix(PROVIDER), status) for method, url, status in sent if url.startswith(PROVIDER)]
    found = [step for step in at_provider if step[2] < 400]
    assert [step[0] for step in found] == ["GET", "POST", "POST"] and "/.well-known/" in found[0][1], at_provider
    assert found[1:] == [("POST", "/reg", 201), ("POST", "/token", 200)], at_provider
    after = sent[sent.index(("POST", f"{PROVIDER}/token", 200)) + 1 :]
    # There is no stream of what is sent unasked, and no session to end.
    assert {status for method, _, status in after if method == "POST"} <= {200, 202}, after
    assert (person.asked["resource"], person.asked["code_challenge_method"]) == (mcp, "S256"), person.asked
    token = claims(kept.tokens.access_token)
    assert (token["aud"], token["iss"], token["sub"]) == (mcp, PROVIDER, person.login), token
    # The same token again: nobody is asked to sign in.
    person.asked = None
    sent = await with_client(server, sdk(server, person, kept), asks)
    assert person.asked is None and {url for _, url, _ in sent} == {mcp}, sent


async def a_client_that_the_provider_knows_does_not_register(server):
    person = Person("Ben", ["staff"])
    known = OAuthClientInformationFull(**registered("an agent that is known", CALLBACK, "none"), issuer=PROVIDER)
    sent = await with_client(server, sdk(server, person, Kept(known)), asks)
    assert not any(url == f"{PROVIDER}/reg" for _, url, _ in sent), sent
    assert person.asked["client_id"] == known.client_id


async def fails(server, person, change=lambda auth: None):
    """What the client was told last of /mcp, where it does not get in."""
    auth, last = sdk(server, person, Kept()), []
    change(auth)

    async def note(response):
        if str(response.request.url) == f"{server.url}/mcp":
            await response.aread()
            last.append((response.status_code, response.text))

    async def use(client):
        await client.list_tools()
        raise AssertionError("it got in")

    try:
        async with httpx2.AsyncClient(auth=auth, timeout=PATIENCE, event_hooks={"response": [note]}) as http:
            async with Client(streamable_http_client(f"{server.url}/mcp", http_client=http)) as client:
                await use(client)
    except AssertionError:
        raise
    except Exception:
        return last[-1]
    raise AssertionError("it got in")


async def a_token_for_another_resource_opens_nothing(server):
    def elsewhere(auth):
        auth.context.get_resource_url = lambda: "https://elsewhere.example.org/mcp"

    person = Person("Cid", ["staff"])
    status, said = await fails(server, person, elsewhere)
    assert person.result is not None and status == 401, (status, said)


async def somebody_whose_groups_give_nothing_is_not_let_in(server):
    person = Person("Dora", ["visitors"])
    status, said = await fails(server, person)
    assert person.result is not None and status == 403, (status, said)


async def main():
    mapped = subprocess.run([IBIDEM, "groups", "map", "staff", "--tenant", TENANT], capture_output=True, text=True)
    assert mapped.returncode == 0, mapped.stderr
    checks = [
        a_stranger_registers_signs_in_and_asks,
        a_client_that_the_provider_knows_does_not_register,
        a_token_for_another_resource_opens_nothing,
        somebody_whose_groups_give_nothing_is_not_let_in,
    ]
    with Server() as server:
        for check in checks:
            await check(server)
            print(f"mcp {version('mcp')} by OAuth: {check.__name__.replace('_', ' ')}")


asyncio.run(main())
